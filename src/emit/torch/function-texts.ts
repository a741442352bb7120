/** The Python functions of each collective, with the names and arguments that torch.distributed gives them. They call the runtime (runtime-text.ts). */

/** By kind of collective; a kind without an entry has no function. */
export const functionTexts: Readonly<Record<string, string>> = {
  allreduce: `
def all_reduce(tensor, op=None, group=None, async_op=False):
    """As torch.distributed.all_reduce: the reduction of all ranks' tensors takes the place of each."""
    flat = _flat(tensor)
    in_place = _plan_for(flat.numel(), flat.element_size())["inPlace"]
    return _call(flat.numel(), flat if in_place else flat.clone(), flat, op, group, async_op)


def all_reduce_into(output, input_, op=None, group=None, async_op=False):
    """The reduction of all ranks' input in output, which must not overlap it; for plans that are not in place."""
    return _call(input_.numel(), _flat(input_), _flat(output), op, group, async_op)
`,
  allgather: `
def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """As torch.distributed.all_gather_into_tensor: the ranks' tensors one behind the other."""
    output, input_ = _flat(output_tensor), _flat(input_tensor)
    plan = _plan_for(output.numel(), output.element_size())
    rank, ranks = dist.get_rank(group), plan["ranks"]
    begin = _cut(output.numel(), rank, ranks)
    if plan["inPlace"] and input_.data_ptr() != output.data_ptr() + begin * output.element_size():
        own = output.narrow(0, begin, input_.numel())
        own.copy_(input_)
        input_ = own
    return _call(output.numel(), input_, output, None, group, async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """As torch.distributed.all_gather, by way of one tensor."""
    output = torch.cat([_flat(part) for part in tensor_list])

    def gather():
        all_gather_into_tensor(output, tensor, group)
        at = 0
        for part in tensor_list:
            _flat(part).copy_(output.narrow(0, at, part.numel()))
            at += part.numel()

    return _start(async_op, tensor.device, group, gather)
`,
  reducescatter: `
def reduce_scatter_tensor(output, input_, op=None, group=None, async_op=False):
    """As torch.distributed.reduce_scatter_tensor: each rank gets its part of the reduction."""
    flat, given = _flat(input_), _flat(output)
    plan = _plan_for(flat.numel(), flat.element_size())
    if not plan["inPlace"]:
        return _call(flat.numel(), flat, given, op, group, async_op)
    begin = _cut(flat.numel(), dist.get_rank(group), plan["ranks"])
    own = flat.narrow(0, begin, given.numel())

    def scatter():
        _call(flat.numel(), flat, own, op, group)
        if own.data_ptr() != given.data_ptr():
            given.copy_(own)

    return _start(async_op, flat.device, group, scatter)


def reduce_scatter(output, input_list, op=None, group=None, async_op=False):
    """As torch.distributed.reduce_scatter, by way of one tensor."""
    return reduce_scatter_tensor(output, torch.cat([_flat(part) for part in input_list]), op, group, async_op)
`,
  broadcast: `
def broadcast(tensor, src=None, group=None, async_op=False):
    """As torch.distributed.broadcast; src must be the root that the plan was made for."""
    flat = _flat(tensor)
    is_root = _root(group, src, "src")
    return _call(flat.numel(), flat if is_root else None, flat, None, group, async_op)
`,
  reduce: `
def reduce(tensor, dst=None, op=None, group=None, async_op=False):
    """As torch.distributed.reduce; dst must be the root that the plan was made for. A plan in place leaves other ranks' tensors undefined."""
    flat = _flat(tensor)
    is_root = _root(group, dst, "dst")
    in_place = _plan_for(flat.numel(), flat.element_size())["inPlace"]
    input_ = flat.clone() if is_root and not in_place else flat
    return _call(flat.numel(), input_, flat if is_root else None, op, group, async_op)
`,
  scatter: `
def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False):
    """As torch.distributed.scatter; src must be the root that the plan was made for."""
    is_root = _root(group, src, "src")
    flat = _flat(tensor)
    whole = torch.cat([_flat(part) for part in scatter_list]) if is_root else None
    elements = whole.numel() if is_root else flat.numel() * dist.get_world_size(group)
    plan = _plan_for(elements, flat.element_size())
    if not (is_root and plan["inPlace"]):
        return _call(elements, whole, flat, None, group, async_op)
    own = whole.narrow(0, _cut(elements, plan["root"], plan["ranks"]), flat.numel())

    def place():
        _call(elements, whole, own, None, group)
        flat.copy_(own)

    return _start(async_op, flat.device, group, place)
`,
  gather: `
def gather(tensor, gather_list=None, dst=None, group=None, async_op=False):
    """As torch.distributed.gather; dst must be the root that the plan was made for."""
    is_root = _root(group, dst, "dst")
    flat = _flat(tensor)
    whole = torch.cat([_flat(part) for part in gather_list]) if is_root else None
    elements = whole.numel() if is_root else flat.numel() * dist.get_world_size(group)
    plan = _plan_for(elements, flat.element_size())

    def collect():
        input_ = flat
        if is_root and plan["inPlace"]:
            input_ = whole.narrow(0, _cut(elements, plan["root"], plan["ranks"]), flat.numel())
            input_.copy_(flat)
        _call(elements, input_, whole, None, group)
        at = 0
        for part in gather_list or []:
            _flat(part).copy_(whole.narrow(0, at, part.numel()))
            at += part.numel()

    return _start(async_op, flat.device, group, collect)
`,
  alltoall: `
def all_to_all_single(output, input_, group=None, async_op=False):
    """As torch.distributed.all_to_all_single with equal splits; a plan in place exchanges within input_, and copies it to output."""
    given, flat = _flat(output), _flat(input_)
    if not _plan_for(flat.numel(), flat.element_size())["inPlace"]:
        return _call(flat.numel(), flat, given, None, group, async_op)

    def exchange():
        _call(flat.numel(), flat, flat, None, group)
        if flat.data_ptr() != given.data_ptr():
            given.copy_(flat)

    return _start(async_op, flat.device, group, exchange)
`,
  scan: `
def scan(output, input_, op=None, group=None, async_op=False):
    """The reduction of the input of this rank and all before it."""
    return _call(input_.numel(), _flat(input_), _flat(output), op, group, async_op)
`,
  exscan: `
def exscan(output, input_, op=None, group=None, async_op=False):
    """The reduction of the input of all ranks before this one; rank 0 keeps what its output holds."""
    return _call(input_.numel(), _flat(input_), _flat(output), op, group, async_op)
`,
  barrier: `
def barrier(group=None, async_op=False, device="cpu"):
    """As torch.distributed.barrier: ends when all ranks have called it."""
    return _call(1, torch.zeros(1, dtype=torch.int32, device=device), None, None, group, async_op)
`,
};
