"""Language models as agents and users, on a server at the loopback address that also fails."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from chat_server import (
    Answer,
    ChatServer,
    Packed,
    calling,
    chat_server,
    completion,
    failing,
    saying,
    writing_calls,
)
from helpers import Cli, Run

from mwz.harness.live.models import written_calls

pytest.importorskip("openai", reason="needs the extra openai")


def _agent(messages: Sequence[Mapping[str, Any]]) -> Answer:
    """Look for an Italian restaurant, name the first one found, and say goodbye."""
    last = messages[-1]
    if last["role"] == "tool":
        found = json.loads(last["content"])
        name = found["results"][0]["name"] if found.get("results") else "nothing"
        return saying(f"How about {name.title()}?")
    if "goodbye" in last["content"].lower():
        return saying("Goodbye.")
    return calling("query_restaurant", '{"food": "italian", "area": "centre"}')


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server(_agent) as server:
        yield server


_WAITED = "0.1"


def _silent() -> Answer:
    """Say nothing for longer than is waited for."""
    time.sleep(0.3)
    return None


def _costing(tokens: bytes) -> bytes:
    """Return an answer of so many tokens read."""
    return completion(saying("Hm.")).replace(b'"prompt_tokens": 7', b'"prompt_tokens": ' + tokens)


_REQUESTS = {400: 2, 401: 1, 403: 2, 404: 1, 429: 5}
"""Status -> how often is asked: a greeting tells whether the server is at fault, if it may be."""

_BOMB = Packed(gzip.compress(bytes(100_000_000)))
"""An answer of a hundred megabytes, in a hundred kilobytes."""


def _calls(*calls: object) -> Mapping[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


class _Player(Cli):
    def __init__(self, cli: Cli) -> None:
        self._cli = cli

    def __call__(self, server: ChatServer, file: Path, *options: str, tasks: int = 1) -> Run:
        arguments = ["--benchmark", "sample", "--agent", "model:m"]
        where = ["--base-url", server.url, "-o", str(file), "--tasks", str(tasks)]
        return self._cli("play", *arguments, *where, *options)


@pytest.fixture
def play(cli: Cli) -> _Player:
    """Plays with the model of a server as the agent."""
    return _Player(cli)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_models_call_tools_and_cost(play: _Player, server: ChatServer, tmp_path: Path) -> None:
    play.done(server, tmp_path / "p.jsonl")
    (line,) = _lines(tmp_path / "p.jsonl")
    first = line["turns"][0]
    assert first["response"] == "How about Nonna'S Attic?"
    assert first["calls"][0]["name"] == "query_restaurant"
    assert line["outcome"]["inform"]
    # Each answer says 7 tokens read and 3 written.
    calls = len(server.requests)
    assert line["costs"] == {
        "agent": {"calls": calls, "prompt_tokens": 7 * calls, "completion_tokens": 3 * calls}
    }
    assert {tool["function"]["name"] for tool in server.requests[0]["tools"]} >= {"book_taxi"}


@pytest.mark.parametrize("fault", [429, None, b'{"choices": []}'])
def test_passing_trouble_is_waited_for(
    play: _Player, server: ChatServer, tmp_path: Path, fault: Answer
) -> None:
    server.faults = [fault, fault]
    play.done(server, tmp_path / "p.jsonl")
    assert _lines(tmp_path / "p.jsonl")[0]["outcome"]["error"] is None


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (400, "check the model and --request"),
        (401, "(check OPENAI_API_KEY, "),
        (403, "check OPENAI_API_KEY"),
        (404, "the model, and the address, which often ends in /v1)"),
        (429, "(wait, or play fewer dialogues at a time by --jobs)"),
        (500, "(5 attempts)"),
        (None, "Server disconnected without sending a response (5 attempts)"),
        (_silent, "timed out (5 attempts)"),
        (_BOMB, "the answer is packed (gzip), though the request forbids it"),
        (b" " * 10_000_001, "the answer has more than 10,000,000 bytes"),
        (b"<html>", "no chat completion"),
        (b'"a string"', "no chat completion"),
        (_calls("query_hotel"), "no chat completion"),
        (_calls({"type": "function"}), "no chat completion"),
        (_calls({"function": {"arguments": "{}"}}), "no chat completion"),
        (saying(3), "no chat completion"),
        (_costing(b"1e999"), "no chat completion"),
        (_costing(b"-1"), "tokens out of bounds: {'prompt_tokens': -1, "),
        (_costing(b"10000001"), "tokens out of bounds: {'prompt_tokens': 10000001, "),
    ],
)
def test_lasting_trouble_stops_play_and_loses_nothing(
    play: _Player, server: ChatServer, tmp_path: Path, fault: Answer, message: str
) -> None:
    file = tmp_path / "p.jsonl"
    play.done(server, file)
    before = file.read_bytes()
    server.faults = [fault] * 40
    asked = len(server.requests)
    shown = play.refused(server, file, "--timeout", _WAITED, tasks=3)
    requests = _REQUESTS.get(fault, 6) if isinstance(fault, int) else 6
    assert len(server.requests) - asked == requests
    assert message in shown
    assert "model m at http://127.0.0.1" in shown
    assert file.read_bytes() == before
    server.faults = []
    play.done(server, file, tasks=3)
    assert [line["dialogue_id"] for line in _lines(file)] == ["town001", "town002", "town003"]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (400, "status 400"),
        (403, "status 403"),
        (500, "status 500"),
        (_silent, "timed out"),
        (b"<html>", "no chat completion"),
        (_BOMB, "the answer is packed"),
    ],
)
def test_a_dialogue_that_cannot_be_finished_is_lost_and_no_other(
    play: _Player, server: ChatServer, tmp_path: Path, fault: Answer, message: str
) -> None:
    begun: list[str] = []

    def agent(messages: Sequence[Mapping[str, Any]]) -> Answer:
        """Fail from the first dialogue's second turn on, but answer others and greetings."""
        begun.append(messages[1]["content"])
        is_over = messages[1]["content"] == begun[0] and messages[-1]["role"] == "tool"
        return fault if is_over else _agent(messages)

    server.answer = agent
    shown = play.done(server, tmp_path / "p.jsonl", "--timeout", _WAITED, tasks=2).err
    lost, other = _lines(tmp_path / "p.jsonl")
    assert message in lost["outcome"]["error"]
    assert f"first error: trial 1, dialogue town001: {lost['outcome']['error']}" in shown
    assert not lost["outcome"]["solved"]
    assert other["outcome"]["error"] is None


@pytest.mark.parametrize(
    ("content", "response"),
    [
        ("<think>They want\nfood.</think>\nWhere?", "Where?"),
        ("They want food.</think> Where?", "Where?"),
        ("Where? <think>They want food, in the", "Where?"),
        ("Half a pair: \ud800.", "Half a pair: ?."),
    ],
)
def test_thoughts_are_no_part_of_a_response(
    play: _Player, tmp_path: Path, content: str, response: str
) -> None:
    with chat_server(lambda messages: saying(content)) as server:
        play.done(server, tmp_path / "p.jsonl")
        sent = [m["content"] for m in server.requests[1]["messages"] if m["role"] == "assistant"]
    (line,) = _lines(tmp_path / "p.jsonl")
    assert {turn["response"] for turn in line["turns"]} == {response}
    assert sent == [response]


def _taxi(place: str) -> Answer:
    return calling("book_taxi", json.dumps({"departure": place, "destination": "b"}))


@pytest.mark.parametrize(
    "answer",
    [
        saying(None),
        saying("Which \ud800 area? \udfff"),
        saying("12:30 . ? " * 9_999),
        calling("query_hotel", "{}", 200),
        calling("book_\ud800", "{\udfff"),
        _taxi("\ud800"),
        _taxi("a" * 90_000),
        calling("book_taxi", '{"departure": NaN, "destination": 1e999}'),
    ],
)
def test_whatever_a_model_says_can_be_read_again(
    play: _Player, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    def agent(messages: Sequence[Mapping[str, Any]]) -> Answer:
        return saying("It is booked.") if messages[-1]["role"] == "tool" else answer

    file = tmp_path / "p.jsonl"
    with chat_server(agent) as server:
        play.done(server, file)
    # What tools return takes most of the values of a file, and does not count.
    monkeypatch.setenv("MWZ_LIMIT_VALUES", "100")
    for command in (["score"], ["score", "--free-running"], ["why"]):
        cli.done(*command, file, "--benchmark", "sample")


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("model:Baseline-7b", "names that begin with 'baseline' are those of this version"),
        ("model:mé", "expected a name of at most 200 characters, printable ASCII"),
    ],
)
def test_names_that_no_file_may_have_are_refused_before_anything_is_played(
    play: _Player, server: ChatServer, tmp_path: Path, agent: str, message: str
) -> None:
    assert message in play.refused(server, tmp_path / "p.jsonl", "--agent", agent)
    assert server.requests == []


def test_another_address_is_another_play(play: _Player, server: ChatServer, tmp_path: Path) -> None:
    def with_password(word: str) -> ChatServer:
        return ChatServer(server.url.replace("//", f"//me:{word}@") + f"/?key={word}", _agent)

    file = tmp_path / "p.jsonl"
    play.done(with_password("secret1"), file)
    before = file.read_bytes()
    message = play.refused(ChatServer("http://127.0.0.1:9/v1", _agent), file)
    assert "(different addresses of models)" in message
    assert file.read_bytes() == before
    # A new password is no other address; and no file shows any of it.
    play.done(with_password("secret2"), file, tasks=2)
    text = file.read_text(encoding="utf-8")
    assert [line["server"] for line in _lines(file)] == [json.loads(before)["server"]] * 2
    assert not any(word in text for word in ("secret", "127.0.0.1", "***"))


def test_fields_of_requests_are_sent_and_recorded(
    play: _Player, server: ChatServer, tmp_path: Path, cli: Cli
) -> None:
    fields = ["--temperature", "0.5", "--max-tokens", "90", "--request", 'stop=["END"]']
    file = tmp_path / "p.jsonl"
    play.done(server, file, *fields)
    sent = {key: server.requests[0][key] for key in ("temperature", "max_tokens", "stop")}
    assert sent == {"temperature": 0.5, "max_tokens": 90, "stop": ["END"]}
    [line] = _lines(file)
    assert line["agent"].endswith(', max_tokens 90, stop ["END"], temperature 0.5')
    assert "different agents" in play.refused(server, file, "--temperature", "1")
    cli.done("score", file, "--benchmark", "sample")
    # What is long has a digest in the name.
    play.done(server, tmp_path / "q.jsonl", "--request", f'stop="{"x" * 300}"')
    assert re.search(r", request [0-9a-f]{12}$", _lines(tmp_path / "q.jsonl")[0]["agent"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--request", "stop=END"], "a text has quotes: 'stop=\"…\"'"),
        (["--request", "seed=1", "--request", "seed=2"], "'seed' is there twice"),
        (["--request", "temperature=1", "--temperature", "1"], "'temperature' is there twice"),
        (["--request", "tools=[]"], "the harness sets model, messages, tools, stream"),
        (["--request", 'api_key="sesame"'], "a key is given by OPENAI_API_KEY"),
        (["--request", 'user="sk-sesame"'], "a key is given by OPENAI_API_KEY"),
        (["--timeout", "0"], "x>0"),
        (["--task", "town001"], "choose"),
    ],
)
def test_options_of_models_that_cannot_be_are_refused(
    play: _Player, server: ChatServer, tmp_path: Path, options: list[str], message: str
) -> None:
    shown = play.refused(server, tmp_path / "p.jsonl", *options)
    assert message in shown
    assert "sesame" not in shown
    assert server.requests == []


def test_the_users_model_has_an_address_and_a_key_of_its_own(
    play: _Player, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "agents")
    monkeypatch.setenv("MWZ_USER_API_KEY", "users")
    file = tmp_path / "p.jsonl"
    with chat_server(lambda messages: saying("Goodbye. [END]")) as other:
        user = ["--user", f"model:u@{other.url}", "--temperature", "0.5"]
        play.done(server, file, *user)
        assert server.keys == {"Bearer agents"}
        assert other.keys == {"Bearer users"}
        # Fields are the agent's alone, so that the same user talks to other agents.
        assert "temperature" not in other.requests[0]
        assert _lines(file)[0]["signature"]["parameters"]["user"].startswith("u, prompts")
        play.done(server, file, *user)
    assert "different addresses of models" in play.refused(server, file, "--user", "model:u")


_HERMES = '<tool_call>\n{"name": "NAME", "arguments": ARGUMENTS}\n</tool_call>'


@pytest.mark.parametrize(
    "form", [_HERMES, '```json\n{"name": "NAME", "parameters": ARGUMENTS}\n```']
)
def test_calls_written_as_text_are_seen_at_once_and_read_if_asked(
    play: _Player, tmp_path: Path, form: str
) -> None:
    file = tmp_path / "p.jsonl"
    with chat_server(writing_calls(failing(), form)) as server:
        shown = play.refused(server, file, tasks=20)
        for words in ("as text", "--tool-call-parser NAME", "--jinja", "--calls text"):
            assert words in shown
        assert not file.read_bytes()
        play.done(server, file, "--calls", "text", tasks=20)
        request = server.requests[-1]
    assert all(line["outcome"]["solved"] for line in _lines(file))
    assert {line["agent"][-12:] for line in _lines(file)} == {", calls text"}
    assert "tools" not in request
    assert '"book_taxi"' in request["messages"][0]["content"]
    roles = [message["role"] for message in request["messages"]]
    assert roles == ["system", *["user", "assistant"] * (len(roles) // 2 - 1), "user"]


_NORTH = [("query_hotel", {"area": "north"})]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('<tool_call>{"name": "query_hotel", "arguments": {"area": "north"}}</tool_call>', _NORTH),
        ('<|python_tag|>{"name": "query_hotel", "parameters": {"area": "north"}}', _NORTH),
        ('[TOOL_CALLS][{"name": "query_hotel", "arguments": {"area": "north"}}]', _NORTH),
        ('[TOOL_CALLS]query_hotel[ARGS]{"area": "north"}', _NORTH),
        ('<function=query_hotel>{"area": "north"}</function>', _NORTH),
        (
            "<function=query_hotel>\n<parameter=area>\nnorth\n</parameter>\n</function>",
            _NORTH,
        ),
        ("[query_hotel(area='north')]", _NORTH),
        ('Action: query_hotel\nAction Input: {"area": "north"}', _NORTH),
        ('{"function": {"name": "query_hotel", "arguments": {"area": "north"}}}', _NORTH),
        ('{"name": "a", "arguments": {}}; {"name": "b", "arguments": {}}', [("a", {}), ("b", {})]),
        # A brace is missing; quotes are missing.
        ('<tool_call>{"name": "query_hotel", "arguments": {"area": "north"}', _NORTH),
        ('{"name": "query_hotel", "arguments": {area: north}}', [("query_hotel", "not JSON")]),
        ("There are 2 hotels (in the north): {a, b}.", []),
        ('{"name": "Nonna\'s Attic"}', []),
    ],
)
def test_the_forms_in_which_models_write_calls(text: str, calls: object) -> None:
    assert written_calls(text) == calls


def test_a_result_that_a_model_makes_up_is_cut_off(play: _Player, tmp_path: Path) -> None:
    call = '<tool_call>{"name": "query_hotel", "arguments": {}}</tool_call>'

    def agent(messages: Sequence[Mapping[str, Any]]) -> Answer:
        return saying(
            "Hm." if len(messages) > 2 else f"{call}<tool_response>9</tool_response>{call}"
        )

    with chat_server(agent) as server:
        play.done(server, tmp_path / "p.jsonl", "--calls", "text")
    [line] = _lines(tmp_path / "p.jsonl")
    assert len(line["turns"][0]["calls"]) == 1
    assert server.requests[1]["messages"][2]["content"] == call


def test_an_answer_that_is_cut_off_is_told_once(play: _Player, tmp_path: Path) -> None:
    body = completion(saying("I can")).replace(b'"stop"', b'"length"')
    with chat_server(lambda messages: body) as server:
        run = play.done(server, tmp_path / "p.jsonl")
    assert run.err.count("cuts an answer off, which has too many tokens; see --max-tokens") == 1


def test_a_text_that_looks_like_a_call_later_is_a_response(play: _Player, tmp_path: Path) -> None:
    def agent(messages: Sequence[Mapping[str, Any]]) -> Answer:
        return saying('query_hotel(area="north")') if len(messages) > 2 else _agent(messages)

    with chat_server(agent) as server:
        play.done(server, tmp_path / "p.jsonl")
    assert _lines(tmp_path / "p.jsonl")[0]["turns"][0]["response"] == 'query_hotel(area="north")'


def test_a_model_plays_the_user_by_the_instructions(tmp_path: Path, cli: Cli) -> None:
    def user(messages: Sequence[Mapping[str, Any]]) -> Answer:
        return saying("Italian food, please." if len(messages) == 2 else "Goodbye. [END]")

    with chat_server(user) as server:
        file = str(tmp_path / "p.jsonl")
        models = ["--user", "model:u", "--base-url", server.url]
        done = cli("play", "--benchmark", "sample", "--tasks", "1", *models, "-o", file)
    assert done.status == 0, done.err
    (line,) = _lines(tmp_path / "p.jsonl")
    assert [turn["user"] for turn in line["turns"]] == ["Italian food, please.", "Goodbye."]
    assert "ethiopian" in server.requests[0]["messages"][0]["content"]
    assert "u, prompts 1-" in line["signature"]["parameters"]["user"]
