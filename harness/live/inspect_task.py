"""Live dialogues in Inspect: `inspect eval mwz/multiwoz --model …`, found by its entry point.

The model under evaluation is the agent, the scripted user talks to it, and the scores are those of
`Outcome`. Needs the extra `inspect`.
"""

from __future__ import annotations

import json
import math

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo

# Inspect also loads this file by its path, where it is in no package.
from mwz.harness.live.environment import Environment, Outcome
from mwz.harness.live.models import MOST_ROUNDS, spoken
from mwz.harness.live.users import ScriptedUser, scripted_user
from mwz.harness.live.world import BrokenOffError, UserMaker, World, script, tool_schemas

_SCORED = ("solved", "success", "inform", "books")


@task
def multiwoz(benchmark: str | None = None, behaviour: str = "") -> Task:
    """Return the tasks of a benchmark, with the scripted user of a behaviour."""
    world = World.of(benchmark)
    samples = []
    for id_, live_task in world.tasks.items():
        samples.append(Sample(id=id_, input="\n".join(live_task.message), target="solved"))
    dataset = MemoryDataset(samples, name=f"tasks of {world.scorer.benchmark.name}")
    user = scripted_user(behaviour) if behaviour else ScriptedUser
    return Task(dataset=dataset, solver=live_dialogue(world, user), scorer=outcome())


@solver
def live_dialogue(world: World, user: UserMaker = ScriptedUser) -> Solver:
    """Return what lets the model talk to the user, with tools."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        environment = Environment(world, user)
        environment.reset(str(state.sample_id), str(state.epoch))
        tools = [ToolInfo(**schema["function"]) for schema in tool_schemas()]
        state.messages = [ChatMessageSystem(content=script("prompts")["agent"])]
        try:
            while (utterance := environment.user_turn()) is not None:
                state.messages.append(ChatMessageUser(content=utterance))
                environment.respond(await _response(state, environment, tools))
        except BrokenOffError as error:
            environment.fail(str(error))
        state.metadata["outcome"] = environment.outcome()
        return state

    return solve


async def _response(state: TaskState, environment: Environment, tools: list[ToolInfo]) -> str:
    """Return what the model responds, after any calls of tools."""
    for _ in range(MOST_ROUNDS):
        state.output = await get_model().generate(state.messages, tools=tools)
        message = state.output.message
        state.messages.append(message)
        if not message.tool_calls:
            return spoken(message.text)
        for call in message.tool_calls:
            arguments = call.parse_error or call.arguments
            result = json.dumps(environment.call(call.function, arguments))
            if environment.error is not None:
                raise BrokenOffError(environment.error)
            state.messages.append(ChatMessageTool(content=result, tool_call_id=call.id))
    raise BrokenOffError(f"the agent calls tools {MOST_ROUNDS} times and does not respond")


@scorer(metrics={name: [mean(), stderr()] for name in _SCORED})
def outcome() -> Scorer:
    """Return the scorer: whether the dialogue is solved, succeeds, informs and books."""

    async def score(state: TaskState, target: Target) -> Score:
        result: Outcome = state.metadata["outcome"]
        value = {name: float(result[name]) for name in _SCORED}
        if not result["booked"]:
            # Only tasks that book count, as elsewhere: Inspect leaves NaN out.
            value["books"] = math.nan
        return Score(value=value, metadata=result)

    return score
