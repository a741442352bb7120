/** The main program of an emitted file: it checks the plan against a definition of the collective, and times it. */

export const demoText = `
def _inputs(kind, elements, rank, ranks, dtype):
    """Small whole numbers, so that sums are exact in every type and in every order; products stay small, too."""
    values = (torch.arange(elements) * 7 + rank * 3) % 5 + 1
    if PLANS[0]["op"] == "prod":
        values = values % 2 + 1
    return values.to(dtype)


def _combined(parts):
    combine = _REDUCERS[PLANS[0]["op"]]
    held = parts[0].clone()
    for part in parts[1:]:
        combine(held, part)
    return held


def _split(whole, ranks):
    return [whole[_cut(whole.numel(), i, ranks) : _cut(whole.numel(), i + 1, ranks)] for i in range(ranks)]


def _trial(elements, dtype, device):
    """A call of the plan, the result that it must leave, and torch's own call on the same data, where torch has one."""
    kind, ranks, root = PLANS[0]["kind"], PLANS[0]["ranks"], PLANS[0]["root"]
    rank = dist.get_rank()
    whole = [_inputs(kind, elements, r, ranks, dtype) for r in range(ranks)]
    mine = whole[rank].to(device)
    shards = [_split(each, ranks) for each in whole]
    equal = elements % ranks == 0
    if kind == "allreduce":
        out = mine.clone()
        return lambda: all_reduce(out), lambda: out, _combined(whole), lambda: dist.all_reduce(mine.clone())
    if kind == "allgather":
        own, out = shards[rank][rank].to(device), torch.empty(elements, dtype=dtype, device=device)
        expected = torch.cat([shards[r][r] for r in range(ranks)])
        parts = [torch.empty_like(own) for _ in range(ranks)]
        return lambda: all_gather_into_tensor(out, own), lambda: out, expected, (lambda: dist.all_gather(parts, own)) if equal else None
    if kind == "reducescatter":
        out = torch.empty(shards[0][rank].numel(), dtype=dtype, device=device)
        expected = _combined([shards[r][rank] for r in range(ranks)])
        return lambda: reduce_scatter_tensor(out, mine.clone()), lambda: out, expected, None
    if kind == "broadcast":
        out = mine.clone()
        return lambda: broadcast(out, root), lambda: out, whole[root], lambda: dist.broadcast(mine.clone(), root)
    if kind == "reduce":
        out = mine.clone()
        return lambda: reduce(out, root), lambda: out if rank == root else None, _combined(whole), lambda: dist.reduce(mine.clone(), root)
    if kind in ("scatter", "gather", "alltoall") and not equal:
        elements -= elements % ranks
        return _trial(elements, dtype, device) if elements else (lambda: None, lambda: None, None, None)
    if kind == "scatter":
        out = torch.empty(elements // ranks, dtype=dtype, device=device)
        parts = [p.to(device) for p in shards[root]] if rank == root else None
        return lambda: scatter(out, parts, root), lambda: out, shards[root][rank], lambda: dist.scatter(torch.empty_like(out), parts, root)
    if kind == "gather":
        own = shards[rank][rank].to(device)
        parts = [torch.empty_like(own) for _ in range(ranks)] if rank == root else None
        expected = torch.cat([shards[r][r] for r in range(ranks)])
        result = lambda: torch.cat(parts) if rank == root else None
        return lambda: gather(own, parts, root), result, expected, lambda: dist.gather(own, parts, root)
    if kind == "alltoall":
        out = torch.empty_like(mine)
        return lambda: all_to_all_single(out, mine.clone()), lambda: out, torch.cat([shards[r][rank] for r in range(ranks)]), None
    if kind in ("scan", "exscan"):
        out = torch.zeros_like(mine)
        parts = whole[: rank + (kind == "scan")]
        result = (lambda: out) if parts else lambda: None
        return lambda: (scan if kind == "scan" else exscan)(out, mine), result, _combined(parts) if parts else None, None
    return lambda: barrier(device=device), lambda: None, None, lambda: dist.barrier()


def _timed(call, repetitions, device):
    times = []
    for _ in range(repetitions):
        dist.barrier()
        begin = time.perf_counter()
        call()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        times.append(time.perf_counter() - begin)
    return times


def _main(arguments):
    device = torch.device("cpu")
    if arguments.backend == "nccl":
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", dist.get_rank())))
        torch.cuda.set_device(device)
    dtype, rows, wrong = getattr(torch, arguments.dtype), [], 0
    for elements in arguments.elements or [1000]:
        call, result, expected, other = _trial(elements, dtype, device)
        call()
        held = result()
        if held is not None and not torch.equal(held.cpu(), expected):
            wrong += 1
        bad = torch.tensor([wrong])
        dist.all_reduce(bad if device.type == "cpu" else bad.to(device))
        ours = _timed(call, arguments.repeat, device)
        theirs = _timed(other, arguments.repeat, device) if other is not None and elements >= dist.get_world_size() else None
        size = elements * torch.empty(0, dtype=dtype).element_size()
        rows.append({"size": size, "seconds": {"all": ours}, **({"torch": {"all": theirs}} if theirs else {})})
    total = torch.tensor([wrong], device=device)
    dist.all_reduce(total)
    if dist.get_rank() == 0:
        report = {"ok": int(total) == 0, "plan": PLANS[0]["name"], "collective": {"kind": PLANS[0]["kind"], "ranks": PLANS[0]["ranks"]}, "on": "torch " + torch.__version__ + " " + arguments.backend, "sizes": rows}
        if arguments.json:
            print(json.dumps(report))
        else:
            for row in rows:
                best = min(row["seconds"]["all"])
                own = f", torch's own {min(row['torch']['all']) * 1e6:.1f} us" if "torch" in row else ""
                print(f"{PLANS[0]['name']}: {row['size']} bytes, {best * 1e6:.1f} us at best of {arguments.repeat}{own}")
            print("every result is right, bit by bit" if report["ok"] else f"{int(total)} results are WRONG")
    return 0 if int(total) == 0 else 1


def _process(rank, arguments, store):
    dist.init_process_group(arguments.backend, init_method="file://" + store, rank=rank, world_size=arguments.spawn)
    code = _main(arguments)
    dist.destroy_process_group()
    sys.exit(code)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Checks and times the plan. Start it with torchrun, or with --spawn N on one machine.")
    parser.add_argument("--spawn", type=int, help="start so many processes on this machine")
    parser.add_argument("--backend", default="gloo", help="gloo (default), nccl, sccl")
    parser.add_argument("--elements", type=int, nargs="*", help="elements of the message; 1000 if left out")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.spawn is None:
        dist.init_process_group(given.backend)
        sys.exit(_main(given))
    import torch.multiprocessing as processes

    with tempfile.TemporaryDirectory() as folder:
        processes.spawn(_process, args=(given, os.path.join(folder, "store")), nprocs=given.spawn)
`;
