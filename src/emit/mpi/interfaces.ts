/** MPI's functions: for each collective its signature, and how its arguments map to input and output of the plan. */
import type { CollectiveKind } from '../../ir/collective.ts';

/** One function of MPI. */
export interface MpiInterface {
  /** `MPI_${name}` and `ccc_${name in lower case}`. */
  readonly name: string;
  readonly parameters: string;
  /** The names of the parameters, to pass them on. */
  readonly passed: string;
  readonly reduces: boolean;
  /** C statements that return, or fall through to MPI's own function. They may use `state` and assign `rc`. */
  readonly body: string;
  /** Why a call on a communicator of the right size may fall through, for a message. */
  readonly otherwise: string;
  /** The function with a count for each rank, which the plan can serve if all counts are equal. */
  readonly variant?: MpiInterface;
}

const unfitData = 'it is empty or too large';
const unfitRoot = 'its root is another one than that of the plans, or it is empty or too large';
const unfitOperator = 'it is empty or too large, or no plan is for its operator';

const sendSide = 'const void *sendbuf, int sendcount, MPI_Datatype sendtype';
const receiveSide = 'void *recvbuf, int recvcount, MPI_Datatype recvtype';
const sides = 'sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype';
const reductionParameters = 'const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op';
const reductionArguments = 'sendbuf, recvbuf, count, datatype, op';

const declareSides = (sendShards: string, receiveShards: string): string => `
  struct ccc_side from = { ccc_writable(sendbuf), sendcount, sendtype, ${sendShards}, NULL, NULL };
  struct ccc_side to = { recvbuf, recvcount, recvtype, ${receiveShards}, NULL, NULL };`;

/** The body for both functions of allgather, after `to` has been declared. */
const allgatherBody = `
  const size_t bytes = ccc_bytes(&to);
  const int in_place = sendbuf == MPI_IN_PLACE;
  if (ccc_fits_bytes(bytes)) {
    if (in_place) from = (struct ccc_side) { ccc_shard_at(&to, state->rank), to.count, recvtype, 1, NULL, NULL };
    return ccc_report(comm, ccc_move_data(state, 0, from, to, in_place, bytes));
  }`;

/** The body for both functions of reducescatter. `count` is the number of elements per rank. */
const reduceScatterBody = (count: string): string => `
  if (ccc_allows(${count}, datatype, op, &commutes)) {
    const int in_place = sendbuf == MPI_IN_PLACE;
    return ccc_report(comm, ccc_reduce_data(state, 0, in_place ? recvbuf : sendbuf, recvbuf, in_place, in_place,
      ${count}, datatype, op, commutes));
  }`;

/** Statements that run only if all counts are equal. */
const whereEqual = (statements: string): string => `
  if (ccc_all_equal(recvcounts)) {${statements.replaceAll('\n', '\n  ')}
  }`;

/** The body for reductions of whole vectors. `destination` is where the caller wants the result; NULL on ranks that get none. */
const reduction = (destination: string): string => `
  if (ccc_allows(count, datatype, op, &commutes)) {
    const int in_place = sendbuf == MPI_IN_PLACE;
    return ccc_report(comm, ccc_reduce_data(state, 0, in_place ? recvbuf : sendbuf, ${destination}, in_place, in_place,
      count, datatype, op, commutes));
  }`;

/** The functions by kind of collective; MPI has no function for the other kinds. */
export const mpiInterfaces: Partial<Readonly<Record<CollectiveKind, MpiInterface>>> = {
  allgather: {
    name: 'Allgather',
    parameters: `${sendSide}, ${receiveSide}, MPI_Comm comm`,
    passed: `${sides}, comm`,
    reduces: false,
    body: `${declareSides('1', 'CCC_RANKS')}${allgatherBody}`,
    otherwise: unfitData,
    variant: {
      name: 'Allgatherv',
      parameters: `${sendSide}, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm`,
      passed: 'sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm',
      reduces: false,
      body: whereEqual(`
  const int recvcount = recvcounts[0];${declareSides('1', 'CCC_RANKS')}
  ccc_place(&to, displs);${allgatherBody}`),
      otherwise: 'its counts differ, or it is empty or too large',
    },
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
    otherwise: unfitData,
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
    if (in_place) from = (struct ccc_side) { ccc_shard_at(&to, root), recvcount, recvtype, 1, NULL, NULL };
    return ccc_report(comm, ccc_move_data(state, 0, from, to, in_place, bytes));
  }`,
    otherwise: unfitRoot,
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
    otherwise: unfitRoot,
  },
  broadcast: {
    name: 'Bcast',
    parameters: 'void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm',
    passed: 'buffer, count, datatype, root, comm',
    reduces: false,
    body: `
  struct ccc_side from = { buffer, count, datatype, 1, NULL, NULL }, to = from;
  const size_t bytes = ccc_bytes(&from);
  const int at_root = state->rank == root;
  if (root >= 0 && root < CCC_RANKS && ccc_fits_bytes(bytes)) {
    if (!at_root) from.at = NULL;
    else if (!CCC_IN_PLACE) to.at = NULL; /* the root has it already */
    return ccc_report(comm, ccc_move_data(state, ccc_shift_to(root), from, to, at_root && CCC_IN_PLACE, bytes));
  }`,
    otherwise: unfitRoot,
  },
  allreduce: {
    name: 'Allreduce',
    parameters: `${reductionParameters}, MPI_Comm comm`,
    passed: `${reductionArguments}, comm`,
    reduces: true,
    body: reduction('recvbuf'),
    otherwise: unfitOperator,
  },
  scan: {
    name: 'Scan',
    parameters: `${reductionParameters}, MPI_Comm comm`,
    passed: `${reductionArguments}, comm`,
    reduces: true,
    body: reduction('recvbuf'),
    otherwise: unfitOperator,
  },
  exscan: {
    name: 'Exscan',
    parameters: `${reductionParameters}, MPI_Comm comm`,
    passed: `${reductionArguments}, comm`,
    reduces: true,
    body: reduction('state->rank == 0 && !in_place ? NULL : recvbuf'),
    otherwise: unfitOperator,
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
    otherwise: 'its root is none of its ranks, it is empty or too large, or no plan is for its operator',
  },
  reducescatter: {
    name: 'Reduce_scatter_block',
    parameters: 'const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm',
    passed: 'sendbuf, recvbuf, recvcount, datatype, op, comm',
    reduces: true,
    body: reduceScatterBody('recvcount'),
    otherwise: unfitOperator,
    variant: {
      name: 'Reduce_scatter',
      parameters:
        'const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm',
      passed: 'sendbuf, recvbuf, recvcounts, datatype, op, comm',
      reduces: true,
      body: whereEqual(reduceScatterBody('recvcounts[0]')),
      otherwise: 'its counts differ, it is empty or too large, or no plan is for its operator',
    },
  },
  barrier: {
    name: 'Barrier',
    parameters: 'MPI_Comm comm',
    passed: 'comm',
    reduces: false,
    body: `
  char token[CCC_MOST_PARTS] = { 0 };
  struct ccc_side from = { token, CCC_MOST_PARTS, MPI_BYTE, 1, NULL, NULL }, to = { NULL, 0, MPI_BYTE, 0, NULL, NULL };
  const size_t bytes = ccc_bytes(&from);
  if (ccc_fits_bytes(bytes)) return ccc_report(comm, ccc_move_data(state, 0, from, to, 0, bytes));`,
    otherwise: unfitData,
  },
};
