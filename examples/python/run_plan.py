"""Runs a ccc plan as docs/plan-format.md says: all ranks in one process, every lane as far as it can go.

Elements may be any values that the operator takes. A runtime on real devices replaces the dictionaries by memory,
the queues by its transport and the loop in `run` by threads; what waits for what stays the same.
"""

import operator
from collections import defaultdict, deque

OPERATORS = {
    "sum": operator.add, "prod": operator.mul, "max": max, "min": min,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    # On pairs of a value and an index: of equal values the least index.
    "minloc": min, "maxloc": lambda a, b: max(a, b, key=lambda pair: (pair[0], -pair[1])),
}


def cut(length, part, parts):
    return part * length // parts


def shards_of(collective, rank, buffer, slots, elements, element_bytes):
    """The elements of each shard in a rank's input or output of so many slots."""
    kind, ranks, counts = collective["kind"], collective["ranks"], collective.get("counts")
    if kind == "custom":
        most = max(collective["custom"]["input"] + collective["custom"]["output"])
        return [elements // most] * slots
    if kind not in ("allgather", "reducescatter", "alltoall", "gather", "scatter"):
        return [1 if kind == "barrier" else elements] if slots else []
    sizes = [cut(elements, i + 1, ranks) - cut(elements, i, ranks) for i in range(ranks)]
    if counts:
        sizes = [count // element_bytes for count in counts]
    if kind == "alltoall":
        pairs = [(rank, peer) if buffer == "input" else (peer, rank) for peer in range(ranks)]
        return [sizes[a * ranks + b if counts else (a + b) % ranks] for a, b in pairs]
    if slots == ranks * collective["chunks"]:
        return sizes
    return [sizes[rank]] if slots else []


class Run:
    """A plan, its memory and its queues. Element i of a buffer of rank r is `memory[r][base[r][buffer] + i]`."""

    def __init__(self, plan, elements, element_bytes=1, inflight=float("inf"), combine=None):
        self.collective, self.inflight = plan["collective"], inflight
        self.bulks, self.copies = plan.get("bulks", 1), plan.get("scratchPerBulk", 1)
        self.chunks = 1 if self.collective["kind"] == "custom" else self.collective["chunks"]
        self.combine = combine or OPERATORS[self.collective.get("op", "sum")]
        programs = sorted(plan["programs"], key=lambda program: program["rank"])
        self.slots = [program["buffers"] for program in programs]
        self.shards = [{buffer: shards_of(self.collective, rank, buffer, slots[buffer], elements, element_bytes)
                        for buffer in ("input", "output")} for rank, slots in enumerate(self.slots)]
        # Where the plan has a limit on alignment, chunks are cut on units of it, and shards are whole units.
        self.unit = max(1, plan.get("limits", {}).get("alignment", 1) // element_bytes)
        longest = max((length for rank in self.shards for shards in rank.values() for length in shards), default=0)
        self.scratch_slot = -(-longest // self.unit // (self.bulks * self.chunks)) * self.unit
        self.base = [self.bases(rank, **shards) for rank, shards in enumerate(self.shards)]
        self.memory = [defaultdict(lambda: None) for _ in programs]
        self.lanes = {(program["rank"], lane["id"]): lane["ops"] for program in programs for lane in program["lanes"]}
        self.done = dict.fromkeys(self.lanes, 0)  # operations complete, over all bulks
        self.queues = defaultdict(deque)  # messages not yet taken, by (sender, receiver, channel)
        self.sending = set()  # lanes whose send has its message in the queue and is not complete yet

    def bases(self, rank, input, output):
        """Where buffers begin: the output at 0; the input behind it or, in place, over it; then scratch."""
        kind, first_of_input = self.collective["kind"], sum(output)
        if self.collective.get("inPlace", False) and input and output:
            # Of gather and scatter only the root has both buffers, so that its own shard is the rank's.
            first_of_input = {"allgather": sum(output[:rank]), "gather": sum(output[:rank]),
                              "reducescatter": -sum(input[:rank]), "scatter": -sum(input[:rank])}.get(kind, 0)
            if kind == "custom" and "inputAt" in self.collective["custom"]:
                first_of_input = self.collective["custom"]["inputAt"][rank] * input[0]
        return {"output": 0, "input": first_of_input, "scratch": sum(input) + sum(output)}

    def slice(self, rank, bulk, piece):
        """Where each slot of a slice lies in the rank's memory, as a range."""
        buffer, first, count = piece
        for slot in range(first, first + count):
            if buffer == "scratch":
                begin = (bulk % self.copies * self.slots[rank]["scratch"] + slot) * self.scratch_slot
                end = begin + self.scratch_slot
            else:
                shard, chunk = divmod(slot, self.chunks)
                shards, part, parts = self.shards[rank][buffer], bulk * self.chunks + chunk, self.bulks * self.chunks
                start, units = sum(shards[:shard]), shards[shard] // self.unit
                begin, end = (start + cut(units, q, parts) * self.unit for q in (part, part + 1))
            yield range(self.base[rank][buffer] + begin, self.base[rank][buffer] + end)

    def read(self, rank, bulk, piece):
        return [[self.memory[rank][at] for at in slot] for slot in self.slice(rank, bulk, piece)]

    def write(self, rank, bulk, operation, message):
        """Slot by slot; of a slot and what comes into it the shorter says how much is moved."""
        memory = self.memory[rank]
        for slot, values in zip(self.slice(rank, bulk, operation["dst"]), message):
            for at, value in zip(slot, values):
                if operation["op"] in ("reduce", "recvReduce"):
                    value = self.combined(memory[at], value, operation.get("order"))
                memory[at] = value

    def combined(self, held, value, order):
        if held is None or value is None:  # behind a chunk that is shorter than its slot in scratch
            return None
        return self.combine(value, held) if order == "received-first" else self.combine(held, value)

    def step(self, rank, lane, bulk, operation):
        """Does what can be done of an operation now; true once it is complete."""
        for other, index, *earlier in operation.get("after", []):
            awaited = bulk - sum(earlier)
            if awaited >= 0 and self.done[rank, other] <= awaited * len(self.lanes[rank, other]) + index:
                return False
        kind, peer, channel = operation["op"], operation.get("peer"), operation.get("channel", 0)
        if kind == "send":
            queue = self.queues[rank, peer, channel]
            if (rank, lane) not in self.sending:
                queue.append(self.read(rank, bulk, operation["src"]))
                self.sending.add((rank, lane))
            if len(queue) > self.inflight:  # with rendezvous, which is 0: until it has been received
                return False
            self.sending.remove((rank, lane))
            return True
        queue = self.queues[peer, rank, channel]
        if kind in ("recv", "recvReduce") and not queue:
            return False
        message = self.read(rank, bulk, operation["src"]) if kind in ("copy", "reduce") else queue.popleft()
        self.write(rank, bulk, operation, message)
        return True

    def run(self, shuffle=lambda lanes: None):
        """Runs to the end; `shuffle` may put the lanes in another order between two rounds. Says where it is stuck."""
        waiting = [lane for lane, operations in self.lanes.items() if operations]
        while waiting:
            before = sum(self.done.values()), len(self.sending)
            shuffle(waiting)
            for rank, lane in waiting:
                operations = self.lanes[rank, lane]
                bulk, index = divmod(self.done[rank, lane], len(operations))
                self.done[rank, lane] += self.step(rank, lane, bulk, operations[index])
            if before == (sum(self.done.values()), len(self.sending)):
                raise RuntimeError(f"deadlock: rank and lane {waiting} wait for each other")
            waiting = [lane for lane in waiting if self.done[lane] < self.bulks * len(self.lanes[lane])]
