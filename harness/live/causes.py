"""Why tasks are not solved: rules, and what `mwz why` shows of them.

A rule looks at one goal domain of a dialogue (`Case`) and says in words what went wrong there, or
nothing. `OF_DIALOGUES` and `OF_DOMAINS` have the rules: a new one is a function, a line in a table,
and its meaning in the glossary.
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
from ..diagnosis import goal_text, joined, labelled, wrapped
from ..errors import counted, cut
from ..glossary import term_of
from ..grounding import AT_FAULT, NAMING_SLOTS, GroundedDomain, Said, UserPart, faults_text
from ..io import Cell, figure, text_table
from ..metrics import WrongSlot, percent
from .environment import MAX_TURNS, MISSING, Outcome, made_up_numbers, numbers_missing
from .plays import Line, LiveRun, play_scripts
from .users import SPANS, Heard
from .world import LONGEST_SHOWN, Result, ToolCall, Turn, World, call_text, calls_in, naming_key

_MOST_NAMED = 3
_LARGEST = 3
"""How many causes dialogues are shown of."""
_FIRST = 3
"""How many dialogues are shown of each."""


@dataclass(frozen=True)
class Case:
    """A goal domain in a dialogue that is not solved.

    Attributes:
        domain: The domain.
        world, task, turns, outcome: The benchmark, and the dialogue.
        grounded: How the responses meet the goal.
        said: What the user says and asks about the domain.
        made_up: Turn and reference number of each that is told of the domain, and that no booking
            returned.
    """

    domain: str
    world: World
    task: Task
    turns: Sequence[Turn]
    outcome: Outcome
    grounded: GroundedDomain
    said: Said
    made_up: Sequence[tuple[int, str]]

    @property
    def wanted(self) -> DomainTask:
        """What the user wants of the domain."""
        return self.task.domains[self.domain]

    @property
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
    def wrong(self) -> list[str]:
        """The wrong slots of the bookings, as `Outcome` names them; none if nothing is booked."""
        if not self.made:
            return []
        slots = self.outcome["booked"].get(self.domain, {})
        return [slot for slot, is_right in slots.items() if not is_right]

    @cached_property
    def naming(self) -> list[int]:
        """The turns whose responses name a venue of the domain."""
        responses = [turn["response"] for turn in self.turns]
        heard = [Heard(response, self.world, self.domain) for response in responses]
        return [turn for turn, part in enumerate(heard) if part.names]


Rule: TypeAlias = Callable[[Case], str]
"""Says what went wrong in a domain, and where; an empty text if nothing did."""


def _objections(case: Case) -> str:
    """Return what the last offer contradicts and the user said after the first; empty if nothing.

    It objected in vain.
    """
    objections = []
    for last in case.naming[-1:]:
        heard = Heard(case.turns[last]["response"], case.world, case.domain)
        for slot in heard.contradicted(case.wanted.info):
            name, value = normalize_slot_name(slot, case.world.scorer.rules), case.wanted.info[slot]
            if case.said.says(name, value, case.naming[0] + 1):
                objections.append(f"{slot} {value}")
    return f"; the user objected ({', '.join(objections)}) and gave up" if objections else ""


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
            slots = case.world.wrong_slots(case.domain, id_, case.wanted.info)
            reason = "; ".join(map(str, slots)) or "meets the constraints only singly"
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


def number_made_up(case: Case) -> str:
    """Say which reference numbers are told of the domain that no booking returned."""
    return "; ".join(f"turn {turn}: no booking returned {number}" for turn, number in case.made_up)


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
    wanted = {**case.wanted.info, **case.wanted.book, "once": "1"}
    wanted["route"] = "from one venue of the goal to another"
    route = f"{result.get('departure')} to {result.get('destination')}"
    booked = {**result, "route": route, "once": str(len(case.made))}
    names = {"once": "number of bookings"}
    wrong = [WrongSlot(names.get(slot, slot), wanted[slot], booked.get(slot)) for slot in slots]
    return f"turn {turn}: {'; '.join(map(str, wrong))}"


def never_named(case: Case) -> str:
    """Say which venues would fit where none is named."""
    if case.domain not in NAMING_SLOTS or case.grounded.matched or case.naming:
        return ""
    return _fitting(case)


def unfit_offer(case: Case) -> str:
    """Say what is wrong with the venues that the last response to name one names.

    A goal that gives the name is met once that is told of; another one may be offered all the same.
    """
    venues = case.grounded.venues
    fits = not set(case.world.matching(case.domain, case.wanted.info)).isdisjoint(venues)
    if not case.naming or (case.grounded.matched_all and (fits or not venues)):
        return ""
    return f"turn {case.naming[-1]}: {_unfit(case, venues)}"


def not_booked(case: Case) -> str:
    """Say what came of the last call that books; or that there is none."""
    if case.domain not in case.outcome["booked"] or case.made:
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
    if case.made and case.domain in numbers_missing(case.world, case.task, case.turns):
        problems.append("the number that a booking returns is never told")
    elif case.made and "REFERENCE" in causes:
        problems.append(f"the reference number is {causes['REFERENCE']}")
    if not (problems or case.grounded.matched or case.domain in NAMING_SLOTS):
        problems.append(f"nothing is told of the {case.domain}")
    return "; ".join(problems) + _objections(case) if problems else ""


OF_DIALOGUES: Mapping[str, Rule] = {
    "not played": not_played,
    "error of the user": partial(broken_off, by_user=True),
    "error of the agent": partial(broken_off, by_user=False),
    "no tool called": no_tool_called,
    "no end": endless,
}
OF_DOMAINS: Mapping[str, Rule] = {
    "number made up": number_made_up,
    "wrong venue booked": wrong_venue,
    "wrong booking": wrong_slots,
    "no venue named": never_named,
    "unfit venue offered": unfit_offer,
    "not booked": not_booked,
    "request not answered": not_answered,
}
CAUSES = (*OF_DIALOGUES, *OF_DOMAINS)
"""Causes of a task that is not solved, which the glossary explains."""


class Finding(NamedTuple):
    """What went wrong in a dialogue: a cause, the goal domain, and where and what it was.

    What concerns the whole dialogue is of the domain of the last call.
    """

    cause: str
    domain: str
    words: str


def findings(line: Mapping[str, Any], world: World) -> list[Finding]:
    """Return why a dialogue is not solved: all causes, those of the whole dialogue first.

    Nothing else counts of what was broken off, nor of domains that the user does not get to, if
    there are others.

    Args:
        line: `dialogue_id`, `turns` and `outcome` of the dialogue.
        world: The benchmark.
    """
    task, turns, outcome = world.task(line["dialogue_id"]), line["turns"], line["outcome"]
    if outcome["solved"]:
        return []
    grounded = world.grounded(task.id, turns).domains
    said = world.said(task.id, turns)
    last = last_domain(task, turns)
    # Those of no goal domain are of the domain of the last call.
    made_up: dict[str, list[tuple[int, str]]] = {domain: [] for domain in task.domains}
    for number, (turn, about) in made_up_numbers(turns, world).items():
        domains = [domain for domain in task.domains if domain in about]
        made_up[(domains or [last])[0]].append((turn, number))
    cases = {}
    for domain in task.domains:
        cases[domain] = Case(
            domain, world, task, turns, outcome, grounded[domain], said[domain], made_up[domain]
        )
    causes = _findings(OF_DIALOGUES, [cases[last]])
    if outcome["error"] is not None:
        return causes[:1]
    causes += _findings(OF_DOMAINS, [case for case in cases.values() if case.said.statements])
    return causes or _findings(OF_DOMAINS, cases.values())


def last_domain(task: Task, turns: Sequence[Turn]) -> str:
    """Return the goal domain of the last call, or the first one."""
    last = next(iter(task.domains))
    for _, call in calls_in(turns):
        _, _, domain = call["name"].partition("_")
        if domain in task.domains:
            last = domain
    return last


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


_Shown: TypeAlias = tuple[Line, Sequence[Finding], Mapping[str, UserPart]]
"""A dialogue that is shown: its line, why it is not solved, and what the user did."""


def _shown(run: LiveRun) -> dict[str, _Shown]:
    """Return id, with the trial if there are several -> each dialogue of a run."""
    shown: dict[str, _Shown] = {}
    for line, parts in zip(run.lines, run.parts, strict=True):
        trial = f", trial {line['trial']}" if run.config.trials > 1 else ""
        shown[line["dialogue_id"] + trial] = line, findings(line, run.config.world), parts
    return shown


def why_text(run: LiveRun, domain: str | None, cause: str | None) -> str:
    """Return why tasks are not solved, and by whom goal domains are lost.

    Args:
        run: The run.
        domain: The only domain to show; None for all.
        cause: The only one of `CAUSES` or `LOST_BY` to show, with all dialogues; None for all.
    """
    shown = _shown(run)
    solved = sum(line["outcome"]["solved"] for line in run.lines)
    rate = figure(percent(solved, len(shown)))
    who = f"{run.config.agent_name} with {run.config.user_name}"
    sections = [f"Solved {rate}, over {counted(len(shown), 'dialogue')}: {who}"]
    errors: Counter[str] = Counter()
    for line in run.lines:
        results = [call["result"] for _, call in calls_in(line["turns"])]
        errors.update(result["error"] for result in results if "error" in result)
    for error, number in errors.most_common(1):
        sections.append(f"calls answered by an error: {errors.total()}; {number} of them: {error}")
    if cause is None or cause in CAUSES:
        sections += _causes_texts(shown, domain, cause)
    if cause not in CAUSES:
        # Id and domain -> what the agent did wrong there.
        words: dict[tuple[str, str], str] = {}
        parts_of = {}
        for name, (_, causes, parts) in shown.items():
            parts_of[name] = parts
            for finding in causes:
                words.setdefault((name, finding.domain), f"{finding.cause}: {finding.words}")
        sections.append(faults_text(parts_of, words, domain, cause))
    return "\n\n".join(sections)


def _causes_texts(shown: Mapping[str, _Shown], domain: str | None, cause: str | None) -> list[str]:
    """Return by what tasks are lost: a table, what it means, and first dialogues, or all of one."""
    # Cause -> the dialogues that it costs, and what is said of each.
    found: dict[str, list[tuple[str, Finding]]] = {}
    domains: set[str] = set()
    for name, (_, causes, _) in shown.items():
        for finding in causes:
            if domain in (None, finding.domain) and cause in (None, finding.cause):
                found.setdefault(finding.cause, []).append((name, finding))
                domains.add(finding.domain)
    if not found:
        return [f"no task is lost by {cause}"] if cause else []
    rows: list[list[Cell]] = []
    meanings = []
    for kind in CAUSES:
        if kind in found:
            by_domain = Counter(finding.domain for _, finding in found[kind])
            tasks = len({name for name, _ in found[kind]})
            rows.append([kind, *[by_domain[name] for name in sorted(domains)], tasks])
            meanings.append(wrapped(f"{kind}: ", term_of("causes", kind).meaning, indent=2))
    texts = [text_table(["task not solved", *sorted(domains), "tasks"], rows), "\n".join(meanings)]
    largest = sorted(found, key=lambda kind: -len(found[kind]))
    for kind in largest[:_LARGEST]:
        part, number = ("all", None) if cause else ("first of", _FIRST)
        lines = [f"{kind}, {part} {len(found[kind])}"]
        for name, finding in found[kind][:number]:
            lines.append(wrapped("  ", f"{name}, {finding.domain}: {finding.words}"))
        texts.append("\n".join(lines))
    return texts


def followed_text(run: LiveRun, id_: str) -> str:
    """Return a dialogue turn by turn, in each trial, beside what the scripts play of the task."""
    run = replace(run, lines=[line for line in run.lines if line["dialogue_id"] == id_])
    scripted_turns = play_scripts(run.config.world, 1, run.config.seed, [id_]).lines[0]["turns"]
    texts = []
    for name, (line, causes, parts) in _shown(run).items():
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
        for domain, words in _lost_by(parts).items():
            outcome.append(labelled(domain, words))
        if not outcome:
            outcome.append(labelled("all", "as the task wants it"))
        texts.append(joined(head, _goal(run.config.world, id_), turns, outcome))
    return "\n\n".join(texts)


def _lost_by(parts: Mapping[str, UserPart]) -> dict[str, str]:
    """Return goal domain that is lost -> by whom, and what the user left out, in words."""
    lost = {}
    for domain, part in parts.items():
        if part.fault in AT_FAULT:
            lost[domain] = f"{AT_FAULT[part.fault]}{part.words and ': ' + part.words}"
    return lost


def _goal(world: World, id_: str) -> dict[str, Goal]:
    """Return a task's goal with all that it requests and books."""
    goals = {}
    for domain, goal in world.goals[id_].items():
        booking = world.task(id_).domains[domain].book
        goals[domain] = replace(goal, booking=booking, requestable=goal.requests)
    return goals


def _steps(turn: Turn | None) -> list[tuple[str, str]]:
    """Return the utterance, the calls and the response of a turn, each with its kind."""
    if turn is None:
        return []
    steps = [("user", " ".join(turn["user"].split()))]
    steps += [("call", call_text(call)) for call in turn.get("calls", ())]
    steps.append(("response", " ".join(turn["response"].split()) or "(nothing)"))
    return steps


def pages_of_plays(runs: Mapping[str, LiveRun]) -> dict[str, Any]:
    """Return what pages show of plays, as `pages_of` of the board's views takes it.

    Args:
        runs: The name of each run -> the run; at least one.
    """
    first_run = next(iter(runs.values()))
    world = first_run.config.world
    # Name of the run, with the trial if there are several -> id -> the dialogue.
    systems: dict[str, dict[str, _Shown]] = {}
    for run_name, run in runs.items():
        for name, shown in _shown(run).items():
            id_ = shown[0]["dialogue_id"]
            systems.setdefault(run_name + name.removeprefix(id_), {})[id_] = shown
    verdicts = []
    for system, dialogues in systems.items():
        outcomes: dict[str, tuple[int, list[tuple[str, str]] | None]] = {}
        for id_, (line, causes, _) in dialogues.items():
            lost = [(finding.domain, finding.cause) for finding in causes]
            outcomes[id_] = len(line["turns"]), lost or None
        verdicts.append((system, outcomes))

    def content(id_: str) -> dict[str, Any]:
        baseline = play_scripts(world, 1, first_run.config.seed, [id_]).lines[0]
        columns = [_page_column(BASELINE_NAME, (baseline, [], {}), world)]
        for system, dialogues in systems.items():
            if id_ in dialogues:
                columns.append(_page_column(system, dialogues[id_], world))
        return {
            "goal": {domain: goal_text(goal) for domain, goal in _goal(world, id_).items()},
            "users": [None] * max(len(column["turns"]) for column in columns),
            "systems": columns,
            "words": lambda domain, finding: finding["words"],
        }

    played = set[str]().union(*systems.values())
    goals = {id_: list(task.domains) for id_, task in world.tasks.items() if id_ in played}
    return {"goals": goals, "systems": verdicts, "content": content, "causes": CAUSES}


def _page_column(name: str, shown: _Shown, world: World) -> dict[str, Any]:
    """Return what a page shows of a system's dialogue."""
    line, causes, parts = shown
    lost_by = _lost_by(parts)
    domains = {}
    for domain in world.task(line["dialogue_id"]).domains:
        found = [finding for finding in causes if finding.domain == domain]
        first = found[0] if found else Finding("", "", "")
        further = {f"{finding.cause}:": finding.words for finding in found[1:]}
        if domain in lost_by:
            further[lost_by[domain]] = ""
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
