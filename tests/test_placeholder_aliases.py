"""Placeholders that a system writes besides those of the rule set: read, scored, told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, benchmark, dialogue, goal, refusal, write_json

from mwz.harness import Benchmark, InputError
from mwz.harness.data.installed import install_benchmark
from mwz.harness.scoring import Options, Scorer
from mwz.harness.scoring.scorer import score
from mwz.normalization import Aliases, alias_tables, normalized_text, rule_set

RULES = rule_set("2021")

# Two dialogues that want a table and its reference number; both are booked in their one turn.
WANTED = {"restaurant": goal({"area": "north"}, ["REFERENCE"])}
STATE = {"restaurant": {"area": "north"}}
ONE = dialogue(WANTED, 1, [STATE], [["restaurant"]], [["restaurant"]])
TWO = benchmark({"mul0001": ONE, "mul0002": ONE}, "two")
KNOWN = "[name] , your number is [reference]"
UNKNOWN = "[name] , your number is [restaurant_ref]"
OWN = {"restaurant_ref": "REFERENCE"}


def _turns(*responses: str) -> dict[str, list[dict[str, Any]]]:
    return {
        f"mul000{number}": [{"response": response, "state": STATE}]
        for number, response in enumerate(responses, start=1)
    }


# What is scored.


def test_an_alias_counts_as_what_it_becomes() -> None:
    # Both dialogues are matched; the reference number of one has an unknown name.
    predictions = _turns(KNOWN, UNKNOWN)
    without = score(predictions, TWO)
    with_it = score(predictions, TWO, Options(placeholders=OWN))
    assert (without.inform, without.success) == (100, 50)
    assert (with_it.inform, with_it.success) == (100, 100)
    assert without.unknown_placeholders == {"restaurant_ref": 1}
    assert with_it.unknown_placeholders == {}


def test_an_alias_is_read_with_its_plural_and_in_any_case() -> None:
    rules = rule_set(RULES.name, Aliases.from_table({"Restaurant_Ref": "REFERENCE"}))
    assert normalized_text("[RESTAURANT_REF]s , [name]", rules) == "REFERENCE, NAME"


def test_aliases_say_where_active_domains_come_from() -> None:
    # One name of a venue that names its domain against one number that does not is no majority;
    # with the alias it is two against one.
    predictions = _turns(*["[restaurant_name] , [reference] [restaurant_ref]"] * 2)
    assert score(predictions, TWO).signature.domains == "states"
    assert score(predictions, TWO, Options(placeholders=OWN)).signature.domains == "slots"


# The signature.


def test_aliases_are_in_the_signature_and_no_part_of_the_rules() -> None:
    plain, own = (Scorer(TWO, o).signature() for o in (Options(), Options(placeholders=OWN)))
    assert own.rules_digest == plain.rules_digest == RULES.digest
    assert "placeholders" not in plain.parameters
    label = own.parameters["placeholders"]
    assert label == Aliases.from_table(OWN).label
    assert f"|placeholders:{label}|" in str(own)
    assert plain != own


def test_scores_with_and_without_aliases_do_not_compare() -> None:
    plain, own = (Scorer(TWO, o).signature() for o in (Options(), Options(placeholders="dard")))
    label = alias_tables()["dard"].label
    (reason,) = plain.comparable_with(own).reasons
    assert reason == f"different placeholders: none and {label}"
    allowed = plain.comparable_with(own, apart_from=("placeholders",))
    assert (allowed.reasons, allowed.notes) == ((), (reason,))


def test_equal_tables_have_one_label_whatever_they_were_read_from(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    lines = [f'"{name.upper()}" = "{slot}"' for name, slot in alias_tables()["dard"].pairs]
    path.write_text("\n".join(["[placeholders]", *reversed(lines)]))
    named = Options(placeholders="dard").resolved
    assert Options(placeholders=path).resolved == named
    assert alias_tables()["dard"].label.startswith("dard-")
    assert Aliases.from_table(OWN).label.startswith("own-")
    others = {**OWN, "hotel_ref": "REFERENCE"}, {"restaurant_ref": "NAME"}
    assert len({Aliases.from_table(table).label for table in (OWN, *others)}) == 3


# What a table may hold.


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            'hotel_name = "NAME"',
            "'hotel_name': rule set 2021 knows it, as NAME; an alias may only name what it does "
            "not know",
        ),
        ('hotel_ref = "REF"', "'hotel_ref': unknown slot 'REF'; choose from ADDRESS, AREA, "),
        (
            '"[hotel_ref]" = "REFERENCE"',
            "'[hotel_ref]': not the name of a placeholder; write letters",
        ),
        ('a_b = "NAME"\nA_B = "NAME"', "'A_B' is there twice, whatever its case; keep one"),
        ("", "names no placeholder"),
        ("x = [", "not TOML ("),
    ],
)
def test_faulty_tables_are_refused_by_name(line: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "aliases.toml"
    path.write_text(f"[placeholders]\n{line}\n")
    for given in (path, str(path)):
        assert str(refusal(Options, placeholders=given)).startswith(f"{path}: {problem}")


def test_no_file_and_no_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "aliases.toml"
    path.write_text('restaurant_ref = "REFERENCE"')
    with pytest.raises(InputError, match=r"expected a table \[placeholders\] of placeholder name"):
        Options(placeholders=path)
    with pytest.raises(InputError, match=r"dart: no such file"):
        Options(placeholders="dart")
    with pytest.raises(InputError, match=r"mine\.toml: no such file"):
        Options(placeholders="mine.toml")
    # Longer than any file system's names.
    with pytest.raises(InputError, match=r"cannot be read \(File name too long\)"):
        Options(placeholders="a" * 300 + ".toml")


def test_a_rule_sets_own_placeholders_come_first(tmp_path: Path) -> None:
    # 2026 knows train_ref: a table for it may not name it, and one by name or that was read for
    # another rule set changes nothing there.
    path = tmp_path / "aliases.toml"
    path.write_text('[placeholders]\ntrain_ref = "NAME"\n')
    with pytest.raises(InputError, match="rule set 2026 knows it, as REFERENCE"):
        Options(rules="2026", placeholders=path)
    older = Scorer(TWO, Options(placeholders=path))
    assert older.rules.ontology["train_ref"] == "NAME"
    assert older.with_options(rules="2026").rules.ontology["train_ref"] == "REFERENCE"
    named = Options(rules="2026", placeholders="dard")
    assert Scorer(TWO, named).rules.ontology["train_name"] == "TRAINID"


# Named tables.


def test_the_named_tables_have_as_many_names_as_their_systems_add() -> None:
    # DARD's src/update_slot_mapping.py has 132 names, 110 of them the public evaluator's; TOATOD's
    # copy of the evaluator has nine that begin with value_ and are new.
    assert len(alias_tables()["dard"].pairs) == 22
    assert len(alias_tables()["toatod"].pairs) == 9
    assert all(name.startswith("value_") for name, _ in alias_tables()["toatod"].pairs)
    # None of them is known to rule set 2021, or it would be refused.
    for name in ("dard", "toatod"):
        assert (
            Options(placeholders=dict(alias_tables()[name].pairs)).resolved.aliases
            == alias_tables()[name]
        )


# The command line.


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file whose two dialogues tell a number under a name that is not known."""
    install_benchmark(TWO)
    return write_json(tmp_path / "outputs.json", _turns(UNKNOWN, UNKNOWN))


def test_commands_read_a_table(file: Path, tmp_path: Path, cli: Cli) -> None:
    on, table = ("--benchmark", "two"), tmp_path / "aliases.toml"
    table.write_text('[placeholders]\nrestaurant_ref = "REFERENCE"\n')
    assert "  unknown       [restaurant_ref] 2×\n" in cli.failed("check", file, *on).out
    assert "  unknown       none\n" in cli.done("check", file, *on, "--placeholders", table).out
    assert cli.json("score", file, *on)["success"] == 0
    report = cli.json("score", file, *on, "--placeholders", table)
    assert report["success"] == 100
    label = Aliases.from_table(OWN).label
    assert report["signature_fields"]["parameters"] == {"placeholders": label}
    why = cli.done("why", file, *on, "--placeholders", table)
    assert cli.done("why", file, *on).out != why.out


def test_what_the_harness_makes_takes_no_aliases(cli: Cli) -> None:
    run = cli("score", "@constant", "--placeholders", "dard")
    assert run == cli("score", "@constant")


# Two of DARD's six files: Inform and Success under 2021 without and with its placeholders, with
# active domains from states. Of the best agents the paper reports 96.6 and 88.3.
DARD = {
    "domain_best_agents": ((96.6, 32.0), (96.6, 88.3)),
    "flant5_single_model": ((51.1, 30.1), (51.1, 44.5)),
}


def _dard(upstream: Path, name: str) -> dict[str, Any]:
    path = upstream / "DARD" / "data" / "predictions" / f"response_gen_{name}.json"
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


@pytest.mark.real_data
@pytest.mark.parametrize("name", DARD)
def test_dard_scores_as_published(name: str, multiwoz: Benchmark, upstream: Path) -> None:
    predictions = _dard(upstream, name)
    scorer = Scorer(multiwoz, Options(setup="strict", domains="states", metrics=["inform"]))
    plain, own = (
        scorer.with_options(placeholders=table).score(predictions) for table in (None, "dard")
    )
    rates = tuple((round(r.inform, 1), round(r.success, 1)) for r in (plain, own))
    assert rates == DARD[name]
