"""`python3 check_plan.py [--elements N] plan.json …` runs plans in several orders and compares with what their collectives say.

The expectation is the table of docs/collectives.md, element by element. Where operands have an order, elements are texts.
"""

import argparse
import json
import random
import sys
from functools import reduce

from run_plan import Run

ELEMENT_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8}


def expected(run, inputs, rank):
    """What rank's output must hold; None for elements that may be anything."""
    c = run.collective
    kind, ranks, root = c["kind"], c["ranks"], c.get("root", 0)
    length = sum(run.shards[rank][1])

    def shard(source, index):
        shards = run.shards[source][0]
        return inputs[source][sum(shards[:index]) : sum(shards[: index + 1])]

    def combined(parts):
        return [reduce(run.combine, elements) for elements in zip(*parts)]

    if length == 0:
        return []
    if kind in ("allgather", "gather"):
        return [element for source in range(ranks) for element in inputs[source]]
    if kind in ("alltoall",):
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
    for wanted, length in zip(run.collective["custom"]["results"][rank], run.shards[rank][1]):
        if wanted is None:
            output += [None] * length
            continue
        parts = [inputs[of["rank"]][of["chunk"] * length : (of["chunk"] + 1) * length] for of in wanted]
        output += [reduce(run.combine, elements) for elements in zip(*parts)]
    return output


def check(plan, elements, element_bytes, inflight, seed):
    draw = random.Random(seed)
    collective = plan["collective"]
    has_order = collective.get("ordered", False) or collective["kind"] in ("scan", "exscan")
    run = Run(plan, elements, element_bytes, inflight, (lambda a, b: a + b) if has_order else None)
    inputs = []
    for rank, (shards, _) in enumerate(run.shards):
        values = [f"{rank}.{i} " if has_order else draw.randrange(1, 1 << 30) for i in range(sum(shards))]
        begin = run.base[rank]["input"]
        run.memory[rank][begin : begin + len(values)] = values
        inputs.append(values)
    run.run(draw.shuffle)
    for rank, (_, shards) in enumerate(run.shards):
        begin = run.base[rank]["output"]
        for i, want in enumerate(expected(run, inputs, rank)):
            if want is not None and run.memory[rank][begin + i] != want:
                sys.exit(f"wrong: {plan['name']}: rank {rank} output element {i}: {run.memory[rank][begin + i]!r}, expected {want!r}")


def check_file(path, elements):
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    element_bytes = ELEMENT_BYTES[plan.get("dtype", "f32").lstrip("iufb")]
    elements = elements or plan.get("size", 4096) // element_bytes
    proof = plan.get("verification", {})
    fewest, deepest = proof.get("smallestInflight", 1), proof.get("inflight", "unbounded")
    for seed, depth in enumerate([fewest, fewest, None if deepest == "unbounded" else deepest]):
        check(plan, elements, element_bytes, depth, seed)
    print(f"right: {plan['name']}, {elements} elements, {len(plan['programs'])} ranks, {plan.get('bulks', 1)} bulks")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, help="elements of the message; default: the size that the plan states")
    parser.add_argument("plans", nargs="+")
    arguments = parser.parse_args()
    for plan_path in arguments.plans:
        check_file(plan_path, arguments.elements)
