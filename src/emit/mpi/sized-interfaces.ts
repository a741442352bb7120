/**
 * MPI's functions with a count for each rank, for plans whose shards have different sizes. The plan serves a call whose counts are those of the plan.
 * If each rank knows only its own counts, an MPI_Allreduce first determines whether the counts of all ranks match.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { MpiInterface } from './interfaces.ts';

const sendSide = 'const void *sendbuf, int sendcount, MPI_Datatype sendtype';
const sendShards = 'const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype';
const receiveShards = 'void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype';

const unlike = "its counts are not the plan's";
const unlikeOrRooted = "its counts or its root are not the plan's";

const oneFrom = 'struct ccc_side from = { ccc_writable(sendbuf), sendcount, sendtype, 1, NULL, NULL };';
const shardsFrom = 'struct ccc_side from = { ccc_writable(sendbuf), 0, sendtype, CCC_RANKS, NULL, sendcounts };';
const shardsTo = 'struct ccc_side to = { recvbuf, 0, recvtype, CCC_RANKS, NULL, recvcounts };';
/** This rank's shard of the output, used as the input. */
const ownShard =
  'from = (struct ccc_side) { ccc_shard_at(&to, state->rank), recvcounts[state->rank], recvtype, 1, NULL, NULL };';
const move = (inPlace: string): string =>
  `return ccc_report(comm, ccc_move_data(state, 0, from, to, ${inPlace}, ccc_longest()));`;

export const sizedInterfaces: Partial<Readonly<Record<CollectiveKind, MpiInterface>>> = {
  allgather: {
    name: 'Allgatherv',
    parameters: `${sendSide}, ${receiveShards}, MPI_Comm comm`,
    passed: 'sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm',
    reduces: false,
    body: `
  ${oneFrom}
  ${shardsTo}
  if (ccc_fits_bytes(ccc_longest()) && ccc_matches(recvcounts, recvtype, 0, 1, CCC_RANKS)) {
    ccc_place(&to, displs);
    if (sendbuf == MPI_IN_PLACE) ${ownShard}
    ${move('sendbuf == MPI_IN_PLACE')}
  }`,
    otherwise: unlike,
  },
  gather: {
    name: 'Gatherv',
    parameters: `${sendSide}, ${receiveShards}, int root, MPI_Comm comm`,
    passed: 'sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm',
    reduces: false,
    body: `
  ${oneFrom}
  ${shardsTo}
  const int at_root = state->rank == root, in_place = at_root && sendbuf == MPI_IN_PLACE;
  const int matches = (!at_root || ccc_matches(recvcounts, recvtype, 0, 1, CCC_RANKS))
    && (in_place || ccc_matches(&sendcount, sendtype, state->rank, 1, 1));
  if (ccc_fits_bytes(ccc_longest()) && ccc_all_agree(state, root == CCC_ROOT && matches)) {
    if (at_root) ccc_place(&to, displs);
    else to.at = NULL;
    if (in_place) ${ownShard}
    ${move('in_place')}
  }`,
    otherwise: unlikeOrRooted,
  },
  scatter: {
    name: 'Scatterv',
    parameters: `${sendShards}, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm`,
    passed: 'sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm',
    reduces: false,
    body: `
  ${shardsFrom}
  struct ccc_side to = { recvbuf, recvcount, recvtype, 1, NULL, NULL };
  const int at_root = state->rank == root, in_place = at_root && recvbuf == MPI_IN_PLACE;
  const int matches = (!at_root || ccc_matches(sendcounts, sendtype, 0, 1, CCC_RANKS))
    && (in_place || ccc_matches(&recvcount, recvtype, state->rank, 1, 1));
  if (ccc_fits_bytes(ccc_longest()) && ccc_all_agree(state, root == CCC_ROOT && matches)) {
    if (at_root) ccc_place(&from, displs);
    else from.at = NULL;
    if (in_place) to.at = NULL; /* the root's shard stays where it is */
    ${move('0')}
  }`,
    otherwise: unlikeOrRooted,
  },
  alltoall: {
    name: 'Alltoallv',
    parameters:
      'const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm',
    passed: 'sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm',
    reduces: false,
    body: `
  ${shardsFrom}
  ${shardsTo}
  const int in_place = sendbuf == MPI_IN_PLACE, row = state->rank * CCC_RANKS;
  const int matches = ccc_matches(recvcounts, recvtype, state->rank, CCC_RANKS, CCC_RANKS)
    && (in_place ? ccc_matches(recvcounts, recvtype, row, 1, CCC_RANKS) : ccc_matches(sendcounts, sendtype, row, 1, CCC_RANKS));
  if (ccc_fits_bytes(ccc_longest()) && ccc_all_agree(state, matches)) {
    ccc_place(&to, rdispls);
    if (in_place) from = to;
    else ccc_place(&from, sdispls);
    ${move('in_place')}
  }`,
    otherwise: unlike,
  },
  reducescatter: {
    name: 'Reduce_scatter',
    parameters:
      'const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm',
    passed: 'sendbuf, recvbuf, recvcounts, datatype, op, comm',
    reduces: true,
    // In place the result begins at the start of the input, and may overlap the shard from which it is computed, which must stay intact.
    body: `
  int size = 1;
  if (ccc_matches(recvcounts, datatype, 0, 1, CCC_RANKS) && PMPI_Type_size(datatype, &size) == MPI_SUCCESS
    && ccc_allows((int)(ccc_longest() / (size_t)size), datatype, op, &commutes)) {
    const int in_place = sendbuf == MPI_IN_PLACE;
    return ccc_report(comm, ccc_reduce_data(state, 0, in_place ? recvbuf : sendbuf, recvbuf, in_place, 0,
      (int)(ccc_longest() / (size_t)size), datatype, op, commutes));
  }`,
    otherwise: "its counts are not the plan's, or the plan is not for its operator",
  },
};
