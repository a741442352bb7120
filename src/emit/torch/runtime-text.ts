/** The Python that runs the tables of `program.ts` with torch.distributed. The emitter puts it into every file that it writes. */

/** Everything that does not depend on the plans; `PLANS` stands before it. */
export const runtimeText = `
FORMAT = 1
_INPUT, _OUTPUT, _SCRATCH = 0, 1, 2
_SHARDED = ("allgather", "reducescatter", "gather", "scatter", "alltoall")
_REDUCERS = {
    "sum": lambda held, value: held.add_(value),
    "prod": lambda held, value: held.mul_(value),
    "max": lambda held, value: torch.maximum(held, value, out=held),
    "min": lambda held, value: torch.minimum(held, value, out=held),
    "and": lambda held, value: held.bitwise_and_(value),
    "or": lambda held, value: held.bitwise_or_(value),
    "xor": lambda held, value: held.bitwise_xor_(value),
}
_OPERATORS = {"sum": "SUM", "prod": "PRODUCT", "max": "MAX", "min": "MIN", "and": "BAND", "or": "BOR", "xor": "BXOR"}
# What SOPHGO's backend moves and reduces (torch_tpu, ProcessGroupSCCL).
_SCCL_OPERATORS = ("sum", "prod", "max", "min")
_SCCL_TYPES = ("float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool")


class PlanError(ValueError):
    """A call that the plan cannot serve. It is raised before anything is sent."""


def _cut(length, part, parts):
    return part * length // parts


class _Layout:
    """Where each slot of a plan lies, for a message of so many elements (the page on the plan format has the formulas)."""

    def __init__(self, plan, rank, elements, element_bytes, copies):
        self.plan, self.elements = plan, elements
        self.parts = plan["bulks"] * plan["chunks"]
        self.unit = max(1, plan["alignment"] // element_bytes)
        self.copies = copies
        self.shards = {}
        self.element_bytes = element_bytes
        longest = max((n for r in range(plan["ranks"]) for b in (0, 1) for n in self.lengths(r, b)), default=0)
        self.scratch_slot = -(-(-(-longest // self.unit)) // self.parts) * self.unit
        self.scratch_elements = plan["buffers"][rank][2] * self.scratch_slot * copies

    def lengths(self, rank, buffer):
        """Elements of each shard of a rank's input or output."""
        key = rank, buffer
        if key not in self.shards:
            self.shards[key] = self._lengths(rank, buffer)
        return self.shards[key]

    def _lengths(self, rank, buffer):
        plan, kind, ranks = self.plan, self.plan["kind"], self.plan["ranks"]
        slots = plan["buffers"][rank][buffer]
        if slots == 0:
            return []
        if kind not in _SHARDED:
            return [1 if kind == "barrier" else self.elements]
        counts = plan.get("counts")
        if kind == "alltoall":
            pairs = [(rank, peer) if buffer == _INPUT else (peer, rank) for peer in range(ranks)]
            if counts:
                return [counts[a * ranks + b] // self.element_bytes for a, b in pairs]
            return [self.part((a + b) % ranks) for a, b in pairs]
        sizes = [c // self.element_bytes for c in counts] if counts else [self.part(i) for i in range(ranks)]
        return sizes if slots == ranks * plan["chunks"] else [sizes[rank]]

    def part(self, index):
        ranks = self.plan["ranks"]
        return _cut(self.elements, index + 1, ranks) - _cut(self.elements, index, ranks)

    def slot(self, rank, buffer, slot, bulk):
        """First element and length of a slot."""
        if buffer == _SCRATCH:
            scratch = self.plan["buffers"][rank][2]
            return ((bulk % self.copies) * scratch + slot) * self.scratch_slot, self.scratch_slot
        lengths, chunks = self.lengths(rank, buffer), self.plan["chunks"]
        shard, chunk = divmod(slot, chunks)
        length, part = lengths[shard], bulk * chunks + chunk
        units = -(-length // self.unit)
        begin, end = (min(length, _cut(units, q, self.parts) * self.unit) for q in (part, part + 1))
        return sum(lengths[:shard]) + begin, end - begin

    def pieces(self, rank, buffer, first, count, other_rank, other_buffer, other_first, bulk):
        """Runs of elements that a slice shares with the one at the other end: of two slots the shorter says how many."""
        runs = []
        for index in range(count):
            begin, length = self.slot(rank, buffer, first + index, bulk)
            length = min(length, self.slot(other_rank, other_buffer, other_first + index, bulk)[1])
            if length == 0:
                continue
            if runs and runs[-1][0] + runs[-1][1] == begin:
                runs[-1][1] += length
            else:
                runs.append([begin, length])
        return runs


class _Schedule:
    """The rank's program for one number of elements: for each tick the messages to exchange and the local work behind them."""

    def __init__(self, plan, rank, elements, element_bytes):
        program, bulks = plan["programs"][rank](), plan["bulks"]
        depth = len(program["levels"])
        layout = _Layout(plan, rank, elements, element_bytes, min(bulks, depth + 1))
        self.scratch_elements = layout.scratch_elements
        self.input_elements = sum(layout.lengths(rank, _INPUT))
        self.output_elements = sum(layout.lengths(rank, _OUTPUT))
        self.first = []
        self.ticks = [([], []) for _ in range(depth + bulks - 1 if depth else 0)]
        # Bulk b is b ticks behind bulk 0: bulks share no element of input and output, and those under way have scratch of their own.
        # What a bulk does before its messages stands in the tick before them, when the last one with the same scratch is done.
        for bulk in range(bulks):
            before = self.first if bulk == 0 or not self.ticks else self.ticks[bulk - 1][1]
            before += [self._local(layout, rank, row, bulk) for row in program["first"]]
            for level, (messages, local) in enumerate(program["levels"]):
                exchange, work = self.ticks[bulk + level]
                exchange += [self._message(layout, rank, row, bulk) for row in messages]
                work += [self._local(layout, rank, row, bulk) for row in local]
        self.ticks = [([m for m in exchange if m[3]], [w for w in work if w[4]]) for exchange, work in self.ticks]
        self.first = [work for work in self.first if work[4]]

    @staticmethod
    def _message(layout, rank, row, bulk):
        is_send, peer, buffer, first, count, other_buffer, other_first, stage = row
        runs = layout.pieces(rank, buffer, first, count, peer, other_buffer, other_first, bulk)
        return is_send, peer, buffer, runs, sum(n for _, n in runs), (stage, bulk) if stage >= 0 else None

    @staticmethod
    def _local(layout, rank, row, bulk):
        kind, buffer, first, count, source_buffer, source_first, stage, peer = row
        runs = layout.pieces(rank, buffer, first, count, peer, source_buffer, source_first, bulk)
        if kind >= 2:
            return kind, buffer, runs, None, sum(n for _, n in runs), (stage, bulk)
        source = layout.pieces(rank, source_buffer, source_first, count, rank, buffer, first, bulk)
        return kind, buffer, runs, (source_buffer, source), sum(n for _, n in runs), None


def _view(memory, runs):
    """One tensor of the runs, without a copy where they are one."""
    if len(runs) == 1:
        return memory.narrow(0, *runs[0])
    return torch.cat([memory.narrow(0, begin, length) for begin, length in runs])


def _global_rank(group, rank):
    if group is None:
        return rank
    return dist.get_global_rank(group, rank) if hasattr(dist, "get_global_rank") else dist.distributed_c10d._get_global_rank(group, rank)


def _backend(group):
    return str(dist.get_backend(group)).lower()


class _Exchange:
    """How a backend moves the messages of one tick. All backends get them in the same order at both ends of each connection."""

    def __init__(self, group):
        self.group = group
        self.backend = _backend(group)
        self.peers = [_global_rank(group, rank) for rank in range(dist.get_world_size(group))]

    def __call__(self, sends_and_receives):
        if self.backend == "nccl":
            operations = [
                dist.P2POp(dist.isend if is_send else dist.irecv, tensor, self.peers[peer], self.group)
                for is_send, peer, tensor in sends_and_receives
            ]
            return dist.batch_isend_irecv(operations)
        if self.backend == "sccl":
            # One stream, no tags, and a send that waits for its receive: the order of the turns is the only one that cannot deadlock.
            for is_send, peer, tensor in sends_and_receives:
                (dist.send if is_send else dist.recv)(tensor, self.peers[peer], group=self.group)
            return []
        receives = [dist.irecv(t, self.peers[p], group=self.group) for is_send, p, t in sends_and_receives if not is_send]
        sends = [dist.isend(t, self.peers[p], group=self.group) for is_send, p, t in sends_and_receives if is_send]
        return receives + sends


_schedules = {}
_exchanges = {}


def _check_call(plan, tensors, op, group):
    kind = plan["kind"]
    if not dist.is_initialized():
        raise PlanError("torch.distributed is not initialised: call init_process_group first")
    ranks = dist.get_world_size(group)
    if ranks != plan["ranks"]:
        raise PlanError(f"the plan {plan['name']} is for {plan['ranks']} ranks, and the group has {ranks}")
    if dist.get_rank(group) < 0:
        raise PlanError("this process is not a member of the group")
    # Without an operator a call means the plan's own.
    if op is not None:
        wanted = getattr(dist.ReduceOp, _OPERATORS[plan["op"]])
        if op != wanted:
            raise PlanError(f"the plan {plan['name']} reduces by {plan['op']}, not by {op}")
    first = tensors[0]
    for tensor in tensors:
        if not tensor.is_contiguous():
            raise PlanError(f"{kind} needs contiguous tensors: call .contiguous() first")
        if tensor.dtype != first.dtype or tensor.device != first.device:
            raise PlanError(f"{kind} needs tensors of one dtype on one device, not {tensor.dtype} and {first.dtype}")
    backend, dtype = _backend(group), str(first.dtype).replace("torch.", "")
    if backend == "nccl" and not first.is_cuda:
        raise PlanError("the backend nccl moves CUDA tensors only")
    if backend == "sccl" and (dtype not in _SCCL_TYPES or plan["reduces"] and plan["op"] not in _SCCL_OPERATORS):
        raise PlanError(f"the backend sccl has no {plan['op']} of {dtype}")
    if plan["reduces"] and plan["op"] in ("and", "or", "xor") and (first.is_floating_point() or first.is_complex()):
        raise PlanError(f"{plan['op']} of {dtype}: bitwise operators need integers")


def _overlap(a, b):
    if a is None or b is None or a.device != b.device:
        return False
    a_begin, b_begin = a.data_ptr(), b.data_ptr()
    return a_begin < b_begin + b.numel() * b.element_size() and b_begin < a_begin + a.numel() * a.element_size()


def _run(plan, elements, input_, output, group):
    """Runs a plan. input_ and output are flat tensors, or None where the rank has no such buffer."""
    rank = dist.get_rank(group)
    sample = input_ if input_ is not None else output
    key = id(plan), rank, elements, sample.element_size()
    schedule = _schedules.get(key)
    if schedule is None:
        schedule = _schedules[key] = _Schedule(plan, rank, elements, sample.element_size())
    for name, tensor, wanted in (("input", input_, schedule.input_elements), ("output", output, schedule.output_elements)):
        held = 0 if tensor is None else tensor.numel()
        if held != wanted:
            raise PlanError(f"rank {rank}: the {name} of {plan['kind']} has {held} elements, expected {wanted}")
    exchange = _exchanges.get(group)
    if exchange is None:
        exchange = _exchanges[group] = _Exchange(group)
    memory = (input_, output, sample.new_empty(schedule.scratch_elements))
    combine = _REDUCERS[plan["op"]]
    stages = {}
    _work(schedule.first, memory, stages, combine)
    for messages, work in schedule.ticks:
        posted, scattered = [], []
        for is_send, peer, buffer, runs, length, stage in messages:
            if is_send:
                tensor = _view(memory[buffer], runs)
            elif stage is None and len(runs) == 1:
                tensor = memory[buffer].narrow(0, *runs[0])
            else:
                tensor = sample.new_empty(length)
                if stage is None:
                    scattered.append((buffer, runs, tensor))
                else:
                    stages[stage] = tensor
            posted.append((is_send, peer, tensor))
        if posted:
            for request in exchange(posted):
                request.wait()
        for buffer, runs, tensor in scattered:
            _scatter(memory[buffer], runs, tensor)
        _work(work, memory, stages, combine)


def _scatter(memory, runs, tensor):
    at = 0
    for begin, length in runs:
        memory.narrow(0, begin, length).copy_(tensor.narrow(0, at, length))
        at += length


def _work(rows, memory, stages, combine):
    for kind, buffer, runs, source, _, stage in rows:
        value = _view(memory[source[0]], source[1]) if stage is None else stages.pop(stage)
        at = 0
        for begin, length in runs:
            held = memory[buffer].narrow(0, begin, length)
            part = value.narrow(0, at, length)
            at += length
            if kind in (1, 3):
                combine(held, part)
            elif held.data_ptr() != part.data_ptr():
                held.copy_(part)


class _Work:
    """What async_op=True returns: wait() ends when the result is there (on a GPU: orders the current stream behind it)."""

    def __init__(self, future=None, event=None):
        self._future, self._event = future, event

    def wait(self, timeout=None):
        if self._event is not None:
            torch.cuda.current_stream().wait_event(self._event)
        if self._future is not None:
            self._future.result(timeout)
        return True

    def is_completed(self):
        if self._event is not None:
            return self._event.query()
        return self._future is None or self._future.done()


_threads = {}
_streams = {}


def _start(async_op, device, group, call):
    """Calls now, or in the background: on a GPU in a stream of its own, else in one thread for each group, which keeps calls in order."""
    if not async_op:
        call()
        return None
    if device.type == "cuda":
        stream = _streams.setdefault((device, group), torch.cuda.Stream(device))
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(stream):
            call()
            return _Work(event=stream.record_event())
    if group not in _threads:
        _threads[group] = ThreadPoolExecutor(max_workers=1)
    return _Work(future=_threads[group].submit(call))


def _flat(tensor):
    if not tensor.is_contiguous():
        raise PlanError("tensors must be contiguous: call .contiguous() first")
    return tensor.view(-1)


def _plan_for(elements, element_size):
    size = elements * element_size
    chosen = PLANS[0]
    for plan in PLANS:
        if plan["from"] <= size:
            chosen = plan
    return chosen


def _call(elements, input_, output, op=None, group=None, async_op=False):
    sample = input_ if input_ is not None else output
    plan = _plan_for(elements, sample.element_size())
    _check_call(plan, [t for t in (input_, output) if t is not None], op, group)
    if not plan["inPlace"] and plan["reduces"] and _overlap(input_, output):
        raise PlanError("input and output overlap, and the plan is not in place: compile one with --in-place")
    return _start(async_op, sample.device, group, lambda: _run(plan, elements, input_, output, group))


def _root(group, rank, called):
    """The plan's root, which a call names by its rank in the world."""
    root = PLANS[0]["root"]
    if rank is not None and rank != _global_rank(group, root):
        raise PlanError(f"the plan's root is rank {root} of the group, and {called} names rank {rank} of the world")
    return dist.get_rank(group) == root
`;
