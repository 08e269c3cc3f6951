"""Live dialogues where people work: Inspect, Gymnasium, MCP, and rewards with TRL's signature."""

from __future__ import annotations

import importlib.metadata
import json
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT, Cli, sample_predictions

from mwz.harness import Benchmark
from mwz.harness.live.agents import Baseline
from mwz.harness.live.world import World
from mwz.harness.scoring import Scorer


def _is_editable() -> bool:
    # In the project's folder there may be another one, of the build.
    installed = importlib.metadata.distributions(name="multiwoz-harness")
    texts = [distribution.read_text("direct_url.json") or "{}" for distribution in installed]
    return any(json.loads(text).get("dir_info", {}).get("editable") for text in texts)


def _evaluated(folder: Path, said: Callable[..., Any], tasks: Any, **options: Any) -> Any:
    """Return the log of a model that says what a function of the messages and tools returns."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelUsage, get_model

    def outputs(messages: Any, tools: Any, *rest: object) -> Any:
        output = said(messages, tools)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_eval(tasks, model=model, log_dir=str(folder), display="none", **options)
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize("named", [False, True])
def test_inspect_plays_and_scores_with_its_mock_model(tmp_path: Path, named: bool) -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra inspect")
    from inspect_ai.model import ModelOutput

    from mwz.harness.live.inspect_task import multiwoz

    if named and _is_editable():
        pytest.skip("Inspect looks entry points up for packages that are not editable installs")

    def said(messages: Any, tools: Any) -> ModelOutput:
        assert "book_taxi" in {tool.name for tool in tools}
        if messages[-1].role == "tool":
            name = json.loads(messages[-1].content)["results"][0]["name"]
            return ModelOutput.from_content("mockllm", f"How about {name.title()}?")
        area = {"food": "italian", "area": "centre"}
        return ModelOutput.for_tool_call("mockllm", "query_restaurant", area)

    tasks = "mwz/multiwoz" if named else multiwoz("sample")
    options = {"task_args": {"benchmark": "sample"}} if named else {}
    log = _evaluated(tmp_path, said, tasks, sample_id=["town001", "town002"], **options)
    scores = {sample.id: sample.scores["outcome"].value for sample in log.samples}
    # An Italian restaurant in the centre is what town001 is about, and no hotel.
    assert scores["town001"]["inform"] == 1
    assert scores["town002"]["inform"] == 0
    assert {sample.scores["outcome"].value["solved"] for sample in log.samples} == {0}
    # town001 books nothing; town002 books a room, which nobody did: 0 of 1.
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means == {"solved": 0, "success": 0, "inform": 0.5, "books": 0}


def test_inspect_loses_a_dialogue_of_too_many_calls_alone(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra inspect")
    from inspect_ai.model import ModelOutput
    from inspect_ai.tool import ToolCall

    from mwz.harness.live.inspect_task import multiwoz

    def said(messages: Any, tools: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm", "Sorry.")
        calls = [ToolCall(id=str(n), function="query_taxi", arguments={}) for n in range(101)]
        output.message.tool_calls = calls
        return output

    log = _evaluated(tmp_path, said, multiwoz("sample"), sample_id=["town001"])
    [sample] = log.samples
    assert "more than 100 times in a turn" in sample.scores["outcome"].metadata["error"]


def test_gymnasium_accepts_the_environment(world: World) -> None:
    pytest.importorskip("gymnasium", reason="needs the extra gymnasium")
    from gymnasium.utils.env_checker import check_env

    from mwz.harness.live.gymnasium_env import LiveEnv

    environment = LiveEnv(world)
    with warnings.catch_warnings():
        # It has no name that `gymnasium.make` knows.
        warnings.simplefilter("ignore")
        check_env(environment)
    said, info = environment.reset(seed=1, options={"task": "town019"})
    assert "park" in said
    assert info == {"task": "town019"}
    found, reward, over, *_ = environment.step(
        '{"name": "query_attraction", "arguments": {"type": "park"}}'
    )
    park = json.loads(found)["results"][0]
    assert (reward, over) == (0.0, False)
    for said in (park["name"].title(), f"{park['address']}, {park['postcode']}, free", "Goodbye."):
        _, reward, over, _, info = environment.step(f"It is {said}.")
    assert over
    assert reward == 1.0
    assert info["outcome"]["success"]
    environment.reset(options={"task": "town004"})
    _, reward, over, _, info = environment.step("x" * 100_001)
    assert (reward, over) == (0, True)
    assert "100,001 characters" in info["outcome"]["error"]


def test_an_mcp_client_plays_dialogues_session_by_session(tmp_path: Path, cli: Cli) -> None:
    pytest.importorskip("mcp", reason="needs the extra mcp")
    import anyio
    from mcp import Client, StdioServerParameters, stdio_client

    file, scripted = tmp_path / "p.jsonl", tmp_path / "scripted.jsonl"
    options = ["play", "--benchmark", "sample", "--tasks", "2", "-o"]
    command = ["-m", "mwz", *options, str(file), "--agent", "mcp:client"]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=PROJECT)

    async def dialogue(client: Client) -> Any:
        """Let the baseline play one dialogue as a client, and return what ends it."""

        async def call(name: str, arguments: Any) -> Any:
            result = await client.call_tool(name, dict(arguments))
            return json.loads(result.content[0].text)

        def call_tool(name: str, arguments: object) -> Any:
            return anyio.from_thread.run(call, name, arguments)

        assert {"book_taxi", "respond"} <= {t.name for t in (await client.list_tools()).tools}
        assert "call start" in (await call("respond", {"text": "Hello."}))["error"]
        said, baseline = await call("start", {}), Baseline()
        if "user" in said:
            # What was said is told again, as long as it is not answered.
            assert await call("start", {}) == said
            assert "expected a string" in (await call("respond", {}))["error"]
        while "user" in said:
            response = await anyio.to_thread.run_sync(baseline, said["user"], call_tool)
            said = await call("respond", {"text": response})
        return said

    async def session_over_http(port: int) -> Any:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            return [await dialogue(client) for _ in range(3)]

    async def session() -> Any:
        with (tmp_path / "log").open("w", encoding="utf-8") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                return await dialogue(client)

    endings = [anyio.run(session) for _ in range(3)]
    assert ["over" in ending for ending in endings] == [True, True, False]
    assert endings[-1] == {"end": "All dialogues are over."}
    cli.done(*options, scripted)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    expected = [json.loads(line) for line in scripted.read_text("utf-8").splitlines()]
    assert [line["turns"] for line in lines] == [line["turns"] for line in expected]
    assert {line["agent"] for line in lines} == {"client"}
    cli.done("score", file, "--benchmark", "sample")

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command[command.index(str(file))] = str(tmp_path / "http.jsonl")
    process = subprocess.Popen([sys.executable, *command, "--http", str(port)], cwd=PROJECT)
    with process:
        while process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.2)
        assert [*anyio.run(session_over_http, port)] == endings
    assert process.returncode == 0
    http = [json.loads(line) for line in (tmp_path / "http.jsonl").read_text().splitlines()]
    assert http == lines


def test_what_an_mcp_server_cannot_do_is_refused(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = ["play", "--benchmark", "sample", "-o", tmp_path / "p.jsonl", "--agent", "mcp:client"]
    assert "of one dialogue at a time" in cli.refused(*play, "--jobs", "2")
    assert "--http is for --agent mcp:NAME" in cli.refused("play", "--http", "8000")
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    assert "pip install 'mcp>=2'" in cli.refused(*play)


def test_a_reward_has_the_signature_of_trl(world: World) -> None:
    response = "Nonna's Attic, 17 spindle street, phone 01632960106."
    messages = [
        {"role": "assistant", "content": "", "tool_calls": []},
        {"role": "tool", "content": response},
        {"role": "assistant", "content": "Nonna's Attic is lovely."},
    ]
    # town001 asks for address and telephone number; what a tool says is not told to the user.
    rewards = world.grounded_reward(
        prompts=["hi", "hi", [{"role": "assistant", "content": response}]],
        completions=[response, messages, messages],
        completion_ids=[[1], [2], [3]],
        dialogue_id=["town001", "TOWN001", "town001"],
    )
    assert rewards == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("id_", "completion", "reason"),
    [
        ("town001", "", "completion: has no response"),
        ("town001", [], "completion: has no response"),
        ("town001", None, "completion: expected a string, found null"),
        ("town001", "x" * 100_001, "completion: 100,001 characters; at most 100,000"),
        ("town001", ["Hi"], "completion: expected an object with role and content"),
        ("town001", [{"role": "user"}, {"content": "Hi"}], "completion, message 1: expected an ob"),
        ("town001", [{"role": "assistant", "content": 3}], "expected a string, found a number"),
        ("nowhere", "Nonna's Attic.", "no task for dialogue nowhere"),
        (None, "Nonna's Attic.", "no task for dialogue None"),
    ],
)
def test_broken_rollouts_are_worth_zero(
    world: World, id_: Any, completion: Any, reason: str
) -> None:
    good = "Nonna's Attic, 17 spindle street, phone 01632960106."
    broken, whole = world.rewards([(id_, (), completion), ("town001", (), good)])
    assert (broken.value, whole.value, whole.reason) == (0, 1, None)
    assert reason in str(broken.reason)
    rewards = world.grounded_reward(["hi"] * 2, [completion, good], dialogue_id=[id_, "town001"])
    assert rewards == [0, 1]


def test_a_rollout_of_another_length_gets_nothing_and_a_reason(sample: Benchmark) -> None:
    scorer = Scorer(sample)
    good = sample_predictions("careful")["town001"]
    rollouts: list[Any] = [("town001", good[:1]), ("town001", good * 2), ("nowhere", good)]
    rollouts += [("town001", None), ("town001", 3), ("town001", iter(good)), ("town001",), None]
    whole, *others = scorer.rewards([("town001", good), *rollouts])
    assert (whole.value, whole.reason) == (1, None)
    assert [reward.value for reward in others] == [0] * 8
    places = ["1 turn; it has 3", "6 turns; it has 3", "nowhere"]
    places += ["found null", "found a number", "found list_iterator", "a pair", "a pair"]
    for words, reward in zip(places, others, strict=True):
        assert words in (reward.reason or "")
    (worth,) = scorer.rewards([("town001", good)], lambda outcome: 2.5 * outcome.inform)
    assert worth.value == 2.5
