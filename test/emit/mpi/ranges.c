/*
 * Three emitted functions in one program, each with a plan for short messages and one for long ones: what they and their variants with
 * counts give is compared with MPI's own. Prints how many elements are wrong.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ccc_allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int ccc_allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int ccc_allgatherv(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm);
int ccc_reduce_scatter_block(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int ccc_reduce_scatter(const void *, void *, const int[], MPI_Datatype, MPI_Op, MPI_Comm);

enum { RANKS = 3, MOST = 5000 };

static int rank, wrong, in[RANKS * MOST], out[2 * RANKS * MOST], own[2 * RANKS * MOST];

static void begin(void)
{
  for (int i = 0; i < RANKS * MOST; i++) in[i] = 7 * i + 1000 * rank;
  memset(out, -1, sizeof out);
  memset(own, -1, sizeof own);
}

static void compare(const char *what, int count)
{
  if (memcmp(out, own, sizeof out) == 0) return;
  wrong++;
  fprintf(stderr, "rank %d: %s of %d differs\n", rank, what, count);
}

static void gather_in_places(int count, const int *counts, const int *places, int in_place)
{
  begin();
  if (in_place) {
    memcpy(out + places[rank], in, (size_t)counts[rank] * sizeof *in);
    memcpy(own + places[rank], in, (size_t)counts[rank] * sizeof *in);
  }
  ccc_allgatherv(in_place ? MPI_IN_PLACE : in, counts[rank], MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD);
  PMPI_Allgatherv(in_place ? MPI_IN_PLACE : in, counts[rank], MPI_INT, own, counts, places, MPI_INT, MPI_COMM_WORLD);
  compare("allgatherv", count);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; i++) {
    const int count = atoi(argv[i]);
    const int equal[RANKS] = { count, count, count }, unequal[RANKS] = { count, count + 1, count };
    const int behind[RANKS] = { 3, 3 + count, 3 + 2 * count }, apart[RANKS] = { 2 * count + 9, 0, count + 4 };
    begin();
    ccc_allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(in, own, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compare("allreduce", count);
    begin();
    ccc_allgather(in, count, MPI_INT, out, count, MPI_INT, MPI_COMM_WORLD);
    PMPI_Allgather(in, count, MPI_INT, own, count, MPI_INT, MPI_COMM_WORLD);
    compare("allgather", count);
    begin();
    ccc_reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Reduce_scatter_block(in, own, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compare("reduce_scatter_block", count);
    begin();
    ccc_reduce_scatter(in, out, equal, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Reduce_scatter(in, own, equal, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compare("reduce_scatter", count);
    begin();
    ccc_reduce_scatter(in, out, unequal, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Reduce_scatter(in, own, unequal, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compare("reduce_scatter of different counts", count);
    /* Places are a matter of each rank: others may have theirs elsewhere. */
    gather_in_places(count, equal, rank == 1 ? apart : behind, 0);
    gather_in_places(count, equal, apart, 1);
    gather_in_places(count, unequal, apart, 0);
  }
  int all = 0;
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all);
  MPI_Finalize();
  return 0;
}
