"""Runs a ccc plan as docs/plan-format.md says: all ranks in one process, every lane as far as it can go.

Elements may be any values that the operator takes. A runtime on real devices replaces the lists by memory,
the queues by its transport and the loop in `run` by threads; what waits for what stays the same.
"""

import operator
from collections import defaultdict, deque

OPERATORS = {
    "sum": operator.add, "prod": operator.mul, "max": max, "min": min,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
}
ALL, OWN, NONE = "all", "own", "none"
# Which shards a rank's input and output have; the root of rooted collectives has the second pair.
SHARDS = {
    "allgather": [(OWN, ALL)] * 2, "reducescatter": [(ALL, OWN)] * 2, "alltoall": [(ALL, ALL)] * 2,
    "gather": [(OWN, NONE), (OWN, ALL)], "scatter": [(NONE, OWN), (ALL, OWN)],
}


def cut(length, part, parts):
    return part * length // parts


def shard_length(collective, source, index, destination, elements, element_bytes):
    """Elements of shard `index`, which for an alltoall goes from `source` to `destination`."""
    ranks, counts = collective["ranks"], collective.get("counts")
    if collective["kind"] == "alltoall":
        index = source * ranks + destination if counts else (source + destination) % ranks
    if counts:
        return counts[index] // element_bytes
    return cut(elements, index + 1, ranks) - cut(elements, index, ranks)


def shard_lengths(collective, rank, buffer, slots, elements, element_bytes):
    """The elements of each shard in a rank's input (0) or output (1)."""
    kind, ranks = collective["kind"], collective["ranks"]
    if kind == "custom":
        most = max(collective["custom"]["input"] + collective["custom"]["output"])
        return [elements // most] * slots
    if kind not in SHARDS:
        return [1 if kind == "barrier" else elements] if slots else []
    which = SHARDS[kind][rank == collective.get("root", 0)][buffer]
    shards = {ALL: range(ranks), OWN: [rank], NONE: []}[which]
    ends = (lambda i: (rank, i)) if buffer == 0 else (lambda i: (i, rank))
    return [shard_length(collective, ends(i)[0], i, ends(i)[1], elements, element_bytes) for i in shards]


class Run:
    """A plan, its memory and its queues. `input[r]` and `output[r]` are where rank r's buffers begin in `memory[r]`."""

    def __init__(self, plan, elements, element_bytes=1, inflight=None, combine=None):
        self.plan, self.collective = plan, plan["collective"]
        self.bulks, self.copies = plan.get("bulks", 1), plan.get("scratchPerBulk", 1)
        custom = self.collective["kind"] == "custom"
        self.chunks = 1 if custom else self.collective["chunks"]
        # Where the plan has a limit on alignment, chunks are cut on units of it, and shards are whole units.
        self.unit = max(1, plan.get("limits", {}).get("alignment", 1) // element_bytes)
        self.inflight = float("inf") if inflight is None else inflight
        self.combine = combine or OPERATORS[self.collective.get("op", "sum")]
        programs = sorted(plan["programs"], key=lambda program: program["rank"])
        self.slots = [program["buffers"] for program in programs]
        names = ("input", "output")
        self.shards = [[shard_lengths(self.collective, r, b, slots[names[b]], elements, element_bytes) for b in (0, 1)]
                       for r, slots in enumerate(self.slots)]
        longest = max((length for rank in self.shards for shards in rank for length in shards), default=0)
        self.scratch_slot = -(-longest // self.unit // (self.bulks * self.chunks)) * self.unit
        self.base, self.memory = [], []
        for rank in range(len(programs)):
            self.place(rank)
        self.lanes = {(program["rank"], lane["id"]): lane["ops"] for program in programs for lane in program["lanes"]}
        self.done = dict.fromkeys(self.lanes, 0)  # operations complete, over all bulks
        self.queues = defaultdict(deque)  # messages not yet taken, by (sender, receiver, channel)
        self.offered = {}  # with rendezvous: what the send of a lane has offered

    def place(self, rank):
        """Input and output side by side, or one over the other; scratch behind both."""
        inputs, outputs = self.shards[rank]
        shift = sum(inputs)
        if self.collective.get("inPlace", False) and inputs and outputs:
            shift = -self.input_shift(rank, inputs, outputs)
        begin = max(0, -shift)
        end = begin + max(sum(inputs), shift + sum(outputs))
        self.base.append({"input": begin, "output": begin + shift, "scratch": end})
        self.memory.append([None] * (end + self.slots[rank]["scratch"] * self.copies * self.scratch_slot))

    def input_shift(self, rank, inputs, outputs):
        """In place: the output element that is the first of the input."""
        kind, root = self.collective["kind"], self.collective.get("root", 0)
        if kind in ("allgather", "gather"):
            return sum(outputs[: rank if kind == "allgather" else root])
        if kind in ("reducescatter", "scatter"):
            return -sum(inputs[: rank if kind == "reducescatter" else root])
        if kind == "custom":
            return self.collective["custom"].get("inputAt", [0] * (rank + 1))[rank] * inputs[0]
        return 0

    def places(self, rank, bulk, piece):
        """Where each slot of a slice lies in the rank's memory: (first element, elements)."""
        buffer, first, count = piece
        for slot in range(first, first + count):
            if buffer == "scratch":
                index = bulk % self.copies * self.slots[rank]["scratch"] + slot
                yield self.base[rank]["scratch"] + index * self.scratch_slot, self.scratch_slot
                continue
            shards, parts = self.shards[rank][buffer == "output"], self.bulks * self.chunks
            shard = slot // self.chunks
            at = bulk * self.chunks + slot % self.chunks
            begin, end = (cut(shards[shard] // self.unit, q, parts) * self.unit for q in (at, at + 1))
            yield self.base[rank][buffer] + sum(shards[:shard]) + begin, end - begin

    def read(self, rank, bulk, piece):
        return [self.memory[rank][at : at + length] for at, length in self.places(rank, bulk, piece)]

    def write(self, rank, bulk, operation, pieces):
        memory, reduces = self.memory[rank], operation["op"] in ("reduce", "recvReduce")
        for (at, room), piece in zip(self.places(rank, bulk, operation["dst"]), pieces):
            for i, value in enumerate(piece[:room], at):
                memory[i] = self.combined(memory[i], value, operation.get("order")) if reduces else value

    def combined(self, held, received, order):
        if held is None or received is None:  # behind a chunk that is shorter than its scratch slot
            return None
        return self.combine(received, held) if order == "received-first" else self.combine(held, received)

    def is_complete(self, rank, lane, index, bulk):
        return bulk < 0 or self.done[rank, lane] > bulk * len(self.lanes[rank, lane]) + index

    def step(self, rank, lane, operation, bulk):
        """Does an operation if it can be done now; true if it is complete."""
        for other, index, *earlier in operation.get("after", []):
            if not self.is_complete(rank, other, index, bulk - sum(earlier)):
                return False
        peer, channel = operation.get("peer"), operation.get("channel", 0)
        if operation["op"] == "send":
            return self.send(rank, lane, self.queues[rank, peer, channel], operation["src"], bulk)
        if operation["op"] in ("copy", "reduce"):
            pieces = self.read(rank, bulk, operation["src"])
        else:
            queue = self.queues[peer, rank, channel]
            if not queue:
                return False
            pieces = queue.popleft()
        self.write(rank, bulk, operation, pieces)
        return True

    def send(self, rank, lane, queue, piece, bulk):
        if self.inflight == 0:  # complete once the receiver has taken what was offered
            if (rank, lane) not in self.offered:
                self.offered[rank, lane] = self.read(rank, bulk, piece)
                queue.append(self.offered[rank, lane])
            if queue:
                return False
            del self.offered[rank, lane]
            return True
        if len(queue) >= self.inflight:
            return False
        queue.append(self.read(rank, bulk, piece))
        return True

    def run(self, shuffle=lambda lanes: None):
        """Runs to the end; `shuffle` may put the lanes in another order between two rounds. Says where it is stuck."""
        open_lanes = [lane for lane, operations in self.lanes.items() if operations]
        idle = 0
        while open_lanes:
            before = sum(self.done.values())
            shuffle(open_lanes)
            for rank, lane in open_lanes:
                operations = self.lanes[rank, lane]
                bulk, index = divmod(self.done[rank, lane], len(operations))
                self.done[rank, lane] += self.step(rank, lane, operations[index], bulk)
            # With rendezvous a send is offered in one round, taken in the next and complete in a third.
            idle = idle + 1 if sum(self.done.values()) == before else 0
            if idle > 2:
                raise RuntimeError(f"deadlock: rank and lane {open_lanes} wait for each other")
            open_lanes = [lane for lane in open_lanes if self.done[lane] < self.bulks * len(self.lanes[lane])]
