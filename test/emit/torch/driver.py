"""Runs emitted files with gloo on one machine: `driver.py RANKS FILE…`. Prints one line of JSON: the checks that failed, by file.

Each file's own check compares with the definition of the collective; the checks here are of what callers get wrong, of groups, of calls that
run in the background, and of memory that must not grow.
"""
import importlib.util
import json
import os
import resource
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

ELEMENTS = [1, 3, 17, 1000]


def load(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refused(call):
    try:
        call()
    except ValueError as error:
        return str(error)
    return None


def results(module):
    wrong = []
    for elements in ELEMENTS:
        call, result, expected, _ = module._trial(elements, torch.float32, torch.device("cpu"))
        call()
        held = result()
        if held is not None and not torch.equal(held, expected):
            wrong.append(f"{elements} elements: {held.tolist()[:8]}, expected {expected.tolist()[:8]}")
    return wrong


def all_reduce_checks(module, rank, ranks):
    wrong = []
    background = torch.full((100,), float(rank))
    work = module.all_reduce(background, async_op=True)
    work.wait()
    if background[0] != sum(range(ranks)):
        wrong.append("a call in the background has another result")
    expectations = [
        (lambda: module.all_reduce(torch.zeros(4, 4).t()), "contiguous"),
        (lambda: module.all_reduce(torch.zeros(4), op=dist.ReduceOp.MAX), "reduces by sum"),
        (lambda: module.all_reduce_into(torch.zeros(4), torch.zeros(4, dtype=torch.int32)), "one dtype"),
        (lambda: module.all_reduce_into(torch.zeros(3), torch.zeros(4)), "has 3 elements, expected 4"),
    ]
    whole = torch.zeros(6)
    if not module.PLANS[0]["inPlace"]:
        expectations.append((lambda: module.all_reduce_into(whole[:4], whole[2:]), "overlap"))
    pair = dist.new_group([0, 1])
    if rank < 2:
        expectations.append((lambda: module.all_reduce(torch.zeros(4), group=pair), f"is for {ranks} ranks, and the group has 2"))
    for call, words in expectations:
        message = refused(call)
        if message is None or words not in message:
            wrong.append(f"expected a refusal with '{words}', got {message!r}")
    tensor = torch.ones(5000)
    for _ in range(20):
        module.all_reduce(tensor)
        tensor.fill_(1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(200):
        module.all_reduce(tensor)
        tensor.fill_(1)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    if grown > 20_000:
        wrong.append(f"200 calls took {grown} KiB more")
    return wrong


def process(rank, ranks, store, paths):
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=ranks)
    found = {}
    for path in paths:
        module = load(path)
        wrong = results(module)
        if hasattr(module, "all_reduce") and module.PLANS[0]["op"] == "sum":
            wrong += all_reduce_checks(module, rank, ranks)
        if wrong:
            found[os.path.basename(path)] = wrong
    everyone = [None] * ranks
    dist.all_gather_object(everyone, found)
    if rank == 0:
        print(json.dumps({f"rank {r}": each for r, each in enumerate(everyone) if each}))
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        ranks = int(sys.argv[1])
        processes.spawn(process, args=(ranks, os.path.join(folder, "store"), sys.argv[2:]), nprocs=ranks)
