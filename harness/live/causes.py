"""Why tasks are not solved, and what users did wrong: rules, and what `mwz why` shows of them.

A rule looks at one goal domain of a dialogue (`Case`) and says in words what went wrong there, or
nothing. `OF_DIALOGUES` and `OF_DOMAINS` have the rules of causes, `USER_FAULTS` those of users'
faults: a new one is a function, a line in a table, and its meaning in the glossary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any, NamedTuple, TypeAlias

from mwz.normalization import normalize_slot_name

from ..benchmark import Goal
from ..data import DomainTask, Task
from ..diagnosis import goal_text, joined, labelled, losses_text
from ..errors import counted, cut
from ..grounding import NAMING_SLOTS, GroundedDomain, Said
from ..io import figure
from ..metrics import MAIN_SETUP, DialogueResult, DomainResult, Fault, percent
from .environment import (
    MAX_TURNS,
    MISSING,
    Outcome,
    bookings,
    numbers_missing,
    responses_in_context,
)
from .plays import Line, LiveRun, play_scripts
from .users import SPANS, Heard
from .world import LONGEST_SHOWN, Result, ToolCall, Turn, World, call_text, calls_in, naming_key

_MOST_NAMED = 3


@dataclass(frozen=True)
class Case:
    """A goal domain in a dialogue that is not solved.

    Attributes:
        domain: The domain.
        wanted: What the user wants of it.
        world, task, turns, outcome: The benchmark, and the dialogue.
        grounded: How the responses meet the goal.
        said: What the user says and asks about the domain.
    """

    domain: str
    wanted: DomainTask
    world: World
    task: Task
    turns: Sequence[Turn]
    outcome: Outcome
    grounded: GroundedDomain
    said: Said

    def says(self, slot: str, value: str, since: int = 0) -> bool:
        """Return whether the user says a slot, as the task calls it, since a turn."""
        return self.said.says(normalize_slot_name(slot, self.world.scorer.rules), value, since)

    @property
    def slots(self) -> dict[str, str]:
        """Its constraints, and the slots of its booking."""
        return {**self.wanted.info, **self.wanted.book}

    @property
    def ended(self) -> bool:
        """Whether the user came to its end, and could say all that it had to."""
        return self.outcome["error"] is None and len(self.turns) < MAX_TURNS

    @cached_property
    def tries(self) -> list[tuple[int, ToolCall]]:
        """The calls that book: the turn, and the call."""
        tries = []
        for turn, call in calls_in(self.turns):
            if call["name"] == f"book_{self.domain}":
                tries.append((turn, call))
        return tries

    @property
    def made(self) -> list[tuple[int, Result]]:
        """The bookings: the turn, and what the tool returned."""
        made = []
        for turn, call in self.tries:
            if call["result"].get("booked"):
                made.append((turn, call["result"]))
        return made

    @property
    def lacks_booking(self) -> bool:
        """Whether the goal books the domain and nothing is booked."""
        return self.domain in self.outcome["booked"] and not self.made

    @property
    def wrong(self) -> list[str]:
        """The wrong slots of the bookings, as `Outcome` names them; none if nothing is booked."""
        if not self.made:
            return []
        slots = self.outcome["booked"].get(self.domain, {})
        return [slot for slot, is_right in slots.items() if not is_right]

    @cached_property
    def heard(self) -> list[Heard]:
        """What the user hears of the domain in each response."""
        return [Heard(turn["response"], self.world, self.domain) for turn in self.turns]

    @property
    def naming(self) -> list[int]:
        """The turns whose responses name a venue of the domain."""
        return [turn for turn, heard in enumerate(self.heard) if heard.names]

    @cached_property
    def contradicted(self) -> list[str]:
        """The constraints that the last response to name a venue contradicts."""
        if not self.naming:
            return []
        return self.heard[self.naming[-1]].contradicted(self.wanted.info)


Rule: TypeAlias = Callable[[Case], str]
"""Says what went wrong in a domain, and where; an empty text if nothing did."""


def _objections(case: Case) -> str:
    """Return what the user objected to in vain, in words; an empty text if it did not object."""
    # It said the constraint again after an offer, and the last offer still contradicts it.
    since = min(case.naming, default=0) + 1
    objections = []
    for slot in case.contradicted:
        value = case.wanted.info[slot]
        if case.says(slot, value, since):
            objections.append(f"{slot} {value}")
    if not objections:
        return ""
    return f"; the user objected ({', '.join(objections)}) and gave up"


def _fitting(case: Case) -> str:
    """Return which venues would fit, in words."""
    names = []
    for id_ in case.world.matching(case.domain, case.wanted.info)[:_MOST_NAMED]:
        names.append(case.world.venue_name(case.domain, id_))
    return f"would fit: {', '.join(names) or 'none'}"


def _unfit(case: Case, venues: Iterable[str]) -> str:
    """Return which of some venues do not fit and why, and which would, in words."""
    fitting = case.world.matching(case.domain, case.wanted.info)
    unfit = []
    for id_ in venues:
        if id_ not in fitting:
            faults = case.world.faults(case.domain, id_, case.wanted.info)
            reason = "; ".join(map(str, faults)) or "meets the constraints only singly"
            unfit.append(f"{case.world.venue_name(case.domain, id_)} ({reason})")
    named = ", ".join(unfit[:_MOST_NAMED]) or "nothing that the database has"
    return f"{named}; {_fitting(case)}"


# ------------------------------------------------------------------------ rules of dialogues


def not_played(case: Case) -> str:
    """Say that no file has the dialogue."""
    if case.outcome["error"] != MISSING or case.turns:
        return ""
    return MISSING


def broken_off(case: Case, by_user: bool) -> str:
    """Say by what error the user, or the agent, broke the dialogue off."""
    error, turns = case.outcome["error"], case.turns
    # The agent broke the last turn off if its response is recorded as empty.
    was_answered = not turns or bool(turns[-1]["response"])
    if not error or was_answered != by_user:
        return ""
    return f"turn {len(turns) if by_user else len(turns) - 1}: {error}"


def no_tool_called(case: Case) -> str:
    """Say for how many turns the agent calls no tool."""
    if any("calls" in turn for turn in case.turns):
        return ""
    return counted(len(case.turns), "turn")


def endless(case: Case) -> str:
    """Say what the agent says most often in a dialogue that has too many turns."""
    if len(case.turns) < MAX_TURNS:
        return ""
    responses = Counter(turn["response"] for turn in case.turns)
    [(response, times)] = responses.most_common(1)
    return f"{times} of {MAX_TURNS} responses are {cut(response, LONGEST_SHOWN)!r}"


# -------------------------------------------------------------------------- rules of domains


def wrong_venue(case: Case) -> str:
    """Say what is wrong with the venue that is booked."""
    if "venue" not in case.wrong:
        return ""
    turn, result = case.made[-1]
    key = naming_key(case.domain)
    return f"turn {turn}: {_unfit(case, case.world.venues_named(case.domain, result[key], key))}"


def wrong_slots(case: Case) -> str:
    """Say which slots of the booking are wrong, its number and a taxi's route among them."""
    slots = [slot for slot in case.wrong if slot != "venue"]
    if not slots:
        return ""
    turn, result = case.made[-1]
    wanted = {**case.slots, "route": "from one venue of the goal to another", "once": "1"}
    route = f"{result.get('departure')} to {result.get('destination')}"
    booked = {**result, "route": route, "once": str(len(case.made))}
    names = {"once": "number of bookings"}
    faults = [Fault(names.get(slot, slot), wanted[slot], booked.get(slot)) for slot in slots]
    return f"turn {turn}: {'; '.join(map(str, faults))}"


def never_named(case: Case) -> str:
    """Say which venues would fit where none is named."""
    if case.domain not in NAMING_SLOTS or case.grounded.matched or case.naming:
        return ""
    return _fitting(case)


def unfit_offer(case: Case) -> str:
    """Say what is wrong with the venues that the last response to name one names."""
    if case.grounded.matched_all or not case.naming:
        return ""
    return f"turn {case.naming[-1]}: {_unfit(case, case.grounded.venues)}"


def number_made_up(case: Case) -> str:
    """Say which reference numbers are told that no booking returned, where the right one is not."""
    if case.domain not in numbers_missing(case.world, case.task, case.turns):
        return ""
    returned = {str(result.get("reference")).upper() for _, result in bookings(case.turns)}
    # Reference number -> the first turn that tells it.
    made_up: dict[str, int] = {}
    for turn, heard in enumerate(case.heard):
        for reference in sorted(heard.references):
            if reference.upper() not in returned:
                made_up.setdefault(reference.upper(), turn)
    problems = [f"turn {turn}: no booking returned {number}" for number, turn in made_up.items()]
    return "; ".join(problems)


def not_booked(case: Case) -> str:
    """Say what came of the last call that books; or that there is none."""
    if not case.lacks_booking:
        return ""
    if not case.tries:
        return f"book_{case.domain} is never called{_objections(case)}"
    turn, call = case.tries[-1]
    return f"turn {turn}: {call_text(call)}{_objections(case)}"


def not_answered(case: Case) -> str:
    """Say what is not told of what the goal requests, and when it was asked for."""
    causes, problems = case.grounded.causes, []
    for slot in case.wanted.reqt:
        name = SPANS.get(slot) or normalize_slot_name(slot, case.world.scorer.rules)
        if name in causes:
            turns = [f"turn {turn}" for turn in dict.fromkeys(case.said.asked.get(name, ()))]
            problems.append(f"{slot} {causes[name]}, asked for in {', '.join(turns) or 'no turn'}")
    missing = numbers_missing(case.world, case.task, case.turns)
    if case.domain in missing and not case.lacks_booking:
        problems.append("the number that a booking returns is never told")
    if not (problems or case.grounded.matched or case.domain in NAMING_SLOTS):
        problems.append(f"nothing is told of the {case.domain}")
    if not problems:
        return ""
    return "; ".join(problems) + _objections(case)


# ---------------------------------------------------------------------------- rules of users


def unsaid(case: Case, asked: bool) -> str:
    """Say which constraints the user never says: those that it is asked for, or the others."""
    # Before an offer the user has no reason to say anything, nor after a booking that is claimed.
    if not case.ended or not (case.made or case.grounded.venues) or number_made_up(case):
        return ""
    lacking = {slot: v for slot, v in case.slots.items() if not case.says(slot, v)}
    # It tells slots of the booking when it books, and its second choice after a refusal.
    books = case.made or (case.grounded.matched and {*case.wanted.book} <= {*lacking})
    refused = any("reason" in call["result"] for _, call in case.tries)
    problems = []
    for slot, value in lacking.items():
        turns = [turn for turn, heard in enumerate(case.heard[:-1]) if heard.asked([slot])]
        is_due = slot in case.wanted.info or books
        is_second_choice = slot in case.wanted.fail_book
        if is_due and (refused or not is_second_choice) and bool(turns) == asked:
            place = f"turn {turns[0]}: " if turns else ""
            problems.append(f"{place}{slot} {value}")
    return ", ".join(problems)


def unfit_accepted(case: Case) -> str:
    """Say what the last offer contradicts, where the user takes it all the same."""
    if case.grounded.matched or not case.grounded.venues or not case.ended:
        return ""
    if not case.contradicted or _objections(case):
        return ""
    return f"turn {case.naming[-1]}: the agent says another {' and '.join(case.contradicted)}"


OF_DIALOGUES: Mapping[str, Rule] = {
    "not played": not_played,
    "error of the user": partial(broken_off, by_user=True),
    "error of the agent": partial(broken_off, by_user=False),
    "no tool called": no_tool_called,
    "no end": endless,
}
OF_DOMAINS: Mapping[str, Rule] = {
    "wrong venue booked": wrong_venue,
    "wrong booking": wrong_slots,
    "no venue named": never_named,
    "unfit venue offered": unfit_offer,
    "number made up": number_made_up,
    "not booked": not_booked,
    "request not answered": not_answered,
}
CAUSES = (*OF_DIALOGUES, *OF_DOMAINS)
"""Causes of a task that is not solved; the first that applies counts. The glossary explains them,
and the faults of users."""

USER_FAULTS: Mapping[str, Rule] = {
    "constraint never said": partial(unsaid, asked=False),
    "question not answered": partial(unsaid, asked=True),
    "unfit offer accepted": unfit_accepted,
}
"""What users do wrong in tasks that are not solved, whatever the cause -> what finds it."""


class Finding(NamedTuple):
    """What went wrong in a dialogue: a cause or fault, the goal domain, and where and what it was.

    What concerns the whole dialogue is of the domain of the last call.
    """

    cause: str
    domain: str
    words: str


def findings(line: Mapping[str, Any], world: World) -> tuple[list[Finding], list[Finding]]:
    """Return why a dialogue is not solved, the cause that counts first, and the user's faults.

    The cause that counts is of the whole dialogue, or of the first domain that went wrong.

    Args:
        line: `dialogue_id`, `turns` and `outcome` of the dialogue.
        world: The benchmark.
    """
    task, turns, outcome = world.task(line["dialogue_id"]), line["turns"], line["outcome"]
    if outcome["solved"]:
        return [], []
    grounded = world.grounded(
        task.id, responses_in_context(turns), [turn["user"] for turn in turns]
    ).domains
    said = world.said(task.id, turns)
    cases = {}
    for domain, wanted in task.domains.items():
        cases[domain] = Case(
            domain, wanted, world, task, turns, outcome, grounded[domain], said[domain]
        )
    last = next(iter(cases))
    for _, call in calls_in(turns):
        _, _, domain = call["name"].partition("_")
        if domain in cases:
            last = domain
    causes = _findings(OF_DIALOGUES, [cases[last]])
    if not turns:
        return causes[:1], []
    causes += _findings(OF_DOMAINS, cases.values())
    return causes, _findings(USER_FAULTS, cases.values())


def _findings(rules: Mapping[str, Rule], cases: Iterable[Case]) -> list[Finding]:
    """Return what rules find in goal domains, domain by domain."""
    found = []
    for case in cases:
        for cause, rule in rules.items():
            words = rule(case)
            if words:
                found.append(Finding(cause, case.domain, words))
    return found


# ------------------------------------------------------------- what is shown: text and pages

BASELINE_NAME = "Scripted baseline"


def _named_lines(run: LiveRun) -> dict[str, Line]:
    """Return id, with the trial if there are several -> each dialogue of a run."""
    lines = {}
    for line in run.lines:
        trial = f", trial {line['trial']}" if run.config.trials > 1 else ""
        lines[line["dialogue_id"] + trial] = line
    return lines


def why_text(run: LiveRun, domain: str | None, cause: str | None) -> str:
    """Return why tasks are not solved and what users did wrong: counts and first dialogues.

    Args:
        run: The run.
        domain: The only domain to show; None for all.
        cause: The only cause or fault to show, with all dialogues; None for all.
    """
    lines = _named_lines(run)
    causes_of: dict[str, list[Finding]] = {}
    faults_of: dict[str, list[Finding]] = {}
    for name, line in lines.items():
        causes, faults_of[name] = findings(line, run.config.world)
        # A task is lost by one cause, but users have several faults.
        causes_of[name] = causes[:1]
    solved = sum(not causes for causes in causes_of.values())
    rate = figure(percent(solved, len(lines)))
    who = f"{run.config.agent_name} with {run.config.user_name}"
    sections = [f"Solved {rate}, over {counted(len(lines), 'dialogue')}: {who}"]
    errors: Counter[str] = Counter()
    for line in run.lines:
        results = [call["result"] for _, call in calls_in(line["turns"])]
        errors.update(result["error"] for result in results if "error" in result)
    for error, number in errors.most_common(1):
        sections.append(f"calls answered by an error: {errors.total()}; {number} of them: {error}")
    tables = (
        ("task not solved", CAUSES, causes_of),
        ("fault of the user", tuple(USER_FAULTS), faults_of),
    )
    for title, kinds, found in tables:
        words = {}
        results = []
        for name, line in lines.items():
            task = run.config.world.task(line["dialogue_id"])
            domains = dict.fromkeys(task.domains, DomainResult(1.0, {}))
            # The first of a domain is shown: it is assigned last.
            for finding in reversed(found[name]):
                domains[finding.domain] = DomainResult(0.0, {}, finding.cause)
                words[name, finding.domain] = finding.words
            results.append(DialogueResult(name, len(line["turns"]), goals={MAIN_SETUP: domains}))
        if (words or kinds is CAUSES) and (cause is None or cause in kinds):
            sections.append(losses_text("", results, kinds, (), (), domain, cause, title, words))
    return "\n\n".join(sections)


def followed_text(run: LiveRun, id_: str) -> str:
    """Return a dialogue turn by turn, in each trial, beside what the scripts play of the task."""
    run = replace(run, lines=[line for line in run.lines if line["dialogue_id"] == id_])
    scripted_turns = _by_scripts(run, id_)["turns"]
    texts = []
    for name, line in _named_lines(run).items():
        causes, faults = findings(line, run.config.world)
        turns = []
        for turn, scripted_turn in zip_longest(line["turns"], scripted_turns):
            steps, beside = _steps(turn), []
            if not run.by_script:
                beside = _steps(scripted_turn)
                if steps[:1] == beside[:1]:
                    # Both users say the same: once is enough.
                    del beside[:1]
            rows = [labelled(kind, words) for kind, words in steps]
            rows += [labelled(f"| {kind}", words) for kind, words in beside]
            turns.append(rows)
        verdict = f"not solved, {causes[0].cause}" if causes else "solved"
        head = f"dialogue {name}, {counted(len(line['turns']), 'turn')}: {verdict}"
        if not run.by_script:
            head += f"\n|: the {BASELINE_NAME.lower()} with the same task"
        outcome = []
        for cause, domain, words in causes:
            outcome.append(labelled(domain, f"{cause}: {words}"))
        for fault, domain, words in faults:
            outcome.append(labelled("the user", f"{domain}: {fault}: {words}"))
        if not outcome:
            outcome.append(labelled("all", "as the task wants it"))
        texts.append(joined(head, _goal(run.config.world, id_), turns, outcome))
    return "\n\n".join(texts)


def _goal(world: World, id_: str) -> dict[str, Goal]:
    """Return a task's goal with all that it requests and books."""
    goals = {}
    for domain, goal in world.goals[id_].items():
        booking = world.task(id_).domains[domain].book
        requestable = goal.requestable | (goal.further or frozenset())
        goals[domain] = replace(goal, booking=booking, requestable=requestable)
    return goals


def _steps(turn: Turn | None) -> list[tuple[str, str]]:
    """Return the utterance, the calls and the response of a turn, each with its kind."""
    if turn is None:
        return []
    steps = [("user", " ".join(turn["user"].split()))]
    steps += [("call", call_text(call)) for call in turn.get("calls", ())]
    steps.append(("response", " ".join(turn["response"].split()) or "(nothing)"))
    return steps


def _by_scripts(run: LiveRun, id_: str) -> Line:
    """Return the dialogue of the scripted baseline on a task, with the seed of the run."""
    return play_scripts(run.config.world, 1, run.config.seed, [id_]).lines[0]


def pages_of_plays(runs: Mapping[str, LiveRun]) -> dict[str, Any]:
    """Return what pages show of plays, as `pages_of` of the board's views takes it.

    Args:
        runs: The name of each run -> the run; at least one.
    """
    first_run = next(iter(runs.values()))
    world = first_run.config.world
    # Name of the run, with the trial if there are several -> id -> the dialogue.
    systems: dict[str, dict[str, Line]] = {}
    for run_name, run in runs.items():
        for name, line in _named_lines(run).items():
            id_ = line["dialogue_id"]
            systems.setdefault(run_name + name.removeprefix(id_), {})[id_] = line
    # System and id -> causes and faults.
    found: dict[tuple[str, str], tuple[list[Finding], list[Finding]]] = {}
    verdicts = []
    for system, lines in systems.items():
        outcomes: dict[str, tuple[int, list[tuple[str, str]] | None]] = {}
        for id_, line in lines.items():
            causes, faults = findings(line, world)
            found[system, id_] = causes, faults
            lost = [(finding.domain, finding.cause) for finding in causes[:1]]
            outcomes[id_] = len(line["turns"]), lost or None
        verdicts.append((system, outcomes))

    def content(id_: str) -> dict[str, Any]:
        scripted = _by_scripts(first_run, id_)
        columns = [_page_column(BASELINE_NAME, scripted, [], [], world)]
        for system, lines in systems.items():
            if id_ in lines:
                causes, faults = found[system, id_]
                columns.append(_page_column(system, lines[id_], causes, faults, world))
        return {
            "goal": {domain: goal_text(goal) for domain, goal in _goal(world, id_).items()},
            "users": [None] * max(len(column["turns"]) for column in columns),
            "systems": columns,
            "words": lambda domain, finding: finding["words"],
        }

    played = set[str]().union(*systems.values())
    goals = {id_: list(task.domains) for id_, task in world.tasks.items() if id_ in played}
    return {"goals": goals, "systems": verdicts, "content": content, "causes": CAUSES}


def _page_column(
    name: str, line: Line, causes: Sequence[Finding], faults: Sequence[Finding], world: World
) -> dict[str, Any]:
    """Return what a page shows of a system's dialogue."""
    domains = {}
    for domain in world.task(line["dialogue_id"]).domains:
        found = [finding for finding in causes if finding.domain == domain]
        first = found[0] if found else Finding("", "", "")
        further = {f"{finding.cause}:": finding.words for finding in found[1:]}
        for fault in faults:
            if fault.domain == domain:
                further[f"{fault.cause} (user):"] = fault.words
        domains[domain] = {**first._asdict(), "turn": None, "slot_causes": further}
    turns = []
    for turn in line["turns"]:
        (_, utterance), *calls, (_, response) = _steps(turn)
        turns.append({"user": utterance, "response": response, "steps": calls})
    return {
        "name": name,
        "outcome": {"success": not causes, "domains": domains},
        "turns": turns,
        "verdict": "✗ not solved" if causes else "✓ solved",
        "predicted": False,
    }
