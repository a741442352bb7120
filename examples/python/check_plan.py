"""`python3 check_plan.py [--elements N] plan.json …` runs plans in several orders and compares with what their collectives say.

The expectation is the table of docs/collectives.md, element by element. Where operands have an order, elements are texts.
"""

import argparse
import json
import operator
import random
import sys
from functools import reduce

from run_plan import Run



def bytes_of(dtype):
    """Of one element: `f32` has 4; a pair as `f32+i32` has both."""
    return sum(int(part.lstrip("iufb")) // 8 for part in dtype.split("+"))


def expected(run, inputs, rank):
    """What rank's output must hold; None for elements that may be anything."""
    c = run.collective
    kind, ranks, root = c["kind"], c["ranks"], c.get("root", 0)
    length = sum(run.shards[rank]["output"])

    def shard(source, index):
        shards = run.shards[source]["input"]
        return inputs[source][sum(shards[:index]) : sum(shards[: index + 1])]

    def combined(parts):
        return [reduce(run.combine, elements) for elements in zip(*parts)]

    if length == 0:
        return []
    if kind in ("allgather", "gather"):
        return [element for source in range(ranks) for element in inputs[source]]
    if kind == "alltoall":
        return [element for source in range(ranks) for element in shard(source, rank)]
    if kind == "scatter":
        return shard(root, rank)
    if kind == "broadcast":
        return inputs[root]
    if kind in ("allreduce", "reduce"):
        return combined(inputs)
    if kind == "reducescatter":
        return combined([shard(source, rank) for source in range(ranks)])
    if kind in ("scan", "exscan"):
        parts = inputs[: rank + (kind == "scan")]
        return combined(parts) if parts else [None] * length
    return custom(run, inputs, rank)


def custom(run, inputs, rank):
    """Slot by slot: the combination of the chunks that its condition lists."""
    output = []
    for wanted, length in zip(run.collective["custom"]["results"][rank], run.shards[rank]["output"]):
        if wanted is None:
            output += [None] * length
            continue
        parts = [inputs[of["rank"]][of["chunk"] * length : (of["chunk"] + 1) * length] for of in wanted]
        output += [reduce(run.combine, elements) for elements in zip(*parts)]
    return output


def number(draw, rank, i):
    return draw.randrange(1, 1 << 30)


def pair(draw, rank, i):
    return draw.randrange(10), rank


def text(draw, rank, i):
    """Added up in order they tell who came when."""
    return f"{rank}.{i} "


def check(plan, elements, element_bytes, inflight, seed):
    draw = random.Random(seed)
    collective = plan["collective"]
    has_order = collective.get("ordered", False) or collective["kind"] in ("scan", "exscan")
    drawn = text if has_order else pair if collective.get("op") in ("minloc", "maxloc") else number
    run = Run(plan, elements, element_bytes, inflight, operator.add if has_order else None)
    inputs = []
    for rank, shards in enumerate(run.shards):
        values = [drawn(draw, rank, i) for i in range(sum(shards["input"]))]
        begin = run.base[rank]["input"]
        run.memory[rank].update(enumerate(values, begin))
        inputs.append(values)
    run.run(draw.shuffle)
    for rank, memory in enumerate(run.memory):
        begin = run.base[rank]["output"]
        for i, want in enumerate(expected(run, inputs, rank)):
            if want is not None and memory[begin + i] != want:
                sys.exit(f"wrong: {plan['name']}: rank {rank} output element {i}: {memory[begin + i]!r}, expected {want!r}")


def check_file(path, elements):
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    if "symmetry" in plan:
        sys.exit(f"{path} has one program for all ranks; `ccc convert {path} --expand -o full.json` writes all of them")
    element_bytes = bytes_of(plan.get("dtype", "f32"))
    elements = elements or plan.get("size", 4096) // element_bytes
    proof = plan.get("verification", {})
    fewest, deepest = proof.get("smallestInflight", 1), proof.get("inflight", "unbounded")
    for seed, depth in enumerate([fewest, fewest, float("inf") if deepest == "unbounded" else deepest]):
        check(plan, elements, element_bytes, depth, seed)
    print(f"right: {plan['name']}, {elements} elements, {len(plan['programs'])} ranks, {plan.get('bulks', 1)} bulks")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, help="elements of the message; default: the size that the plan states")
    parser.add_argument("plans", nargs="+")
    arguments = parser.parse_args()
    for plan_path in arguments.plans:
        check_file(plan_path, arguments.elements)
