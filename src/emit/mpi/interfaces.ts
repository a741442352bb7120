/** MPI's own functions: for each collective its signature, and how its arguments become input and output of the plan. */
import type { CollectiveKind } from '../../ir/collective.ts';

/** One function of MPI. */
export interface MpiInterface {
  /** `MPI_${name}` and `ccc_${name in lower case}`. */
  readonly name: string;
  readonly parameters: string;
  /** The parameters as arguments. */
  readonly passed: string;
  readonly reduces: boolean;
  /** C statements that end in a return, or fall through to MPI's own function; `state` is there, `rc` free. */
  readonly body: string;
}

const sendSide = 'const void *sendbuf, int sendcount, MPI_Datatype sendtype';
const receiveSide = 'void *recvbuf, int recvcount, MPI_Datatype recvtype';
const sides = 'sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype';
const reductionParameters = 'const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op';
const reductionArguments = 'sendbuf, recvbuf, count, datatype, op';

const declareSides = (sendShards: string, receiveShards: string): string => `
  struct ccc_side from = { ccc_writable(sendbuf), sendcount, sendtype, ${sendShards} };
  struct ccc_side to = { recvbuf, recvcount, recvtype, ${receiveShards} };`;

/** Reductions of whole vectors to all ranks; `destination` is where the caller wants the result, NULL if nowhere. */
const reduction = (destination: string): string => `
  if (ccc_allows(count, datatype, op, &commutes)) {
    const int in_place = sendbuf == MPI_IN_PLACE;
    return ccc_report(comm, ccc_reduce_data(state, 0, in_place ? recvbuf : sendbuf, ${destination}, in_place, in_place,
      count, datatype, op, commutes));
  }`;

/** Kinds that MPI has; the others have no call of its own. */
export const mpiInterfaces: Partial<Readonly<Record<CollectiveKind, MpiInterface>>> = {
  allgather: {
    name: 'Allgather',
    parameters: `${sendSide}, ${receiveSide}, MPI_Comm comm`,
    passed: `${sides}, comm`,
    reduces: false,
    body: `${declareSides('1', 'CCC_RANKS')}
  const size_t bytes = ccc_bytes(&to);
  const int in_place = sendbuf == MPI_IN_PLACE;
  if (ccc_fits_bytes(bytes)) {
    if (in_place) from = (struct ccc_side) { ccc_shard_at(&to, state->rank), recvcount, recvtype, 1 };
    return ccc_report(comm, ccc_move_data(state, 0, from, to, in_place, bytes));
  }`,
  },
  alltoall: {
    name: 'Alltoall',
    parameters: `${sendSide}, ${receiveSide}, MPI_Comm comm`,
    passed: `${sides}, comm`,
    reduces: false,
    body: `${declareSides('CCC_RANKS', 'CCC_RANKS')}
  const size_t bytes = ccc_bytes(&to);
  const int in_place = sendbuf == MPI_IN_PLACE;
  if (ccc_fits_bytes(bytes)) return ccc_report(comm, ccc_move_data(state, 0, in_place ? to : from, to, in_place, bytes));`,
  },
  gather: {
    name: 'Gather',
    parameters: `${sendSide}, ${receiveSide}, int root, MPI_Comm comm`,
    passed: `${sides}, root, comm`,
    reduces: false,
    body: `${declareSides('1', 'CCC_RANKS')}
  const int at_root = state->rank == root, in_place = at_root && sendbuf == MPI_IN_PLACE;
  const size_t bytes = ccc_bytes(at_root ? &to : &from);
  if (root == CCC_ROOT && ccc_fits_bytes(bytes)) {
    if (!at_root) to.at = NULL;
    if (in_place) from = (struct ccc_side) { ccc_shard_at(&to, root), recvcount, recvtype, 1 };
    return ccc_report(comm, ccc_move_data(state, 0, from, to, in_place, bytes));
  }`,
  },
  scatter: {
    name: 'Scatter',
    parameters: `${sendSide}, ${receiveSide}, int root, MPI_Comm comm`,
    passed: `${sides}, root, comm`,
    reduces: false,
    body: `${declareSides('CCC_RANKS', '1')}
  const int at_root = state->rank == root;
  const size_t bytes = ccc_bytes(at_root ? &from : &to);
  if (root == CCC_ROOT && ccc_fits_bytes(bytes)) {
    if (!at_root) from.at = NULL;
    if (at_root && recvbuf == MPI_IN_PLACE) to.at = NULL; /* the root's shard stays where it is */
    return ccc_report(comm, ccc_move_data(state, 0, from, to, 0, bytes));
  }`,
  },
  broadcast: {
    name: 'Bcast',
    parameters: 'void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm',
    passed: 'buffer, count, datatype, root, comm',
    reduces: false,
    body: `
  struct ccc_side from = { buffer, count, datatype, 1 }, to = from;
  const size_t bytes = ccc_bytes(&from);
  const int at_root = state->rank == root;
  if (root >= 0 && root < CCC_RANKS && ccc_fits_bytes(bytes)) {
    if (!at_root) from.at = NULL;
    else if (!CCC_IN_PLACE) to.at = NULL; /* the root has it already */
    return ccc_report(comm, ccc_move_data(state, ccc_shift_to(root), from, to, at_root && CCC_IN_PLACE, bytes));
  }`,
  },
  allreduce: {
    name: 'Allreduce',
    parameters: `${reductionParameters}, MPI_Comm comm`,
    passed: `${reductionArguments}, comm`,
    reduces: true,
    body: reduction('recvbuf'),
  },
  scan: {
    name: 'Scan',
    parameters: `${reductionParameters}, MPI_Comm comm`,
    passed: `${reductionArguments}, comm`,
    reduces: true,
    body: reduction('recvbuf'),
  },
  exscan: {
    name: 'Exscan',
    parameters: `${reductionParameters}, MPI_Comm comm`,
    passed: `${reductionArguments}, comm`,
    reduces: true,
    body: reduction('state->rank == 0 && !in_place ? NULL : recvbuf'),
  },
  reduce: {
    name: 'Reduce',
    parameters: `${reductionParameters}, int root, MPI_Comm comm`,
    passed: `${reductionArguments}, root, comm`,
    reduces: true,
    body: `
  if (root >= 0 && root < CCC_RANKS && ccc_allows(count, datatype, op, &commutes) && (commutes || root == CCC_ROOT)) {
    const int at_root = state->rank == root, in_place = at_root && sendbuf == MPI_IN_PLACE;
    return ccc_report(comm, ccc_reduce_data(state, ccc_shift_to(root), in_place ? recvbuf : sendbuf,
      at_root ? recvbuf : NULL, in_place, in_place, count, datatype, op, commutes));
  }`,
  },
  reducescatter: {
    name: 'Reduce_scatter_block',
    parameters: 'const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm',
    passed: 'sendbuf, recvbuf, recvcount, datatype, op, comm',
    reduces: true,
    body: `
  if (ccc_allows(recvcount, datatype, op, &commutes)) {
    const int in_place = sendbuf == MPI_IN_PLACE;
    return ccc_report(comm, ccc_reduce_data(state, 0, in_place ? recvbuf : sendbuf, recvbuf, in_place, in_place,
      recvcount, datatype, op, commutes));
  }`,
  },
  barrier: {
    name: 'Barrier',
    parameters: 'MPI_Comm comm',
    passed: 'comm',
    reduces: false,
    body: `
  char token[CCC_PARTS] = { 0 };
  struct ccc_side from = { token, CCC_PARTS, MPI_BYTE, 1 }, to = { NULL, 0, MPI_BYTE, 0 };
  const size_t bytes = ccc_bytes(&from);
  if (ccc_fits_bytes(bytes)) return ccc_report(comm, ccc_move_data(state, 0, from, to, 0, bytes));`,
  },
};
