/*
 * Emitted functions with a count for each rank in one program: what they give is compared with MPI's own, for shards side by side and apart,
 * in place and not, of a type without gaps and of one with some, and for counts that no plan is for. Prints how many results are wrong.
 * COUNTS are the elements of the shards, PAIRS what each rank gives to each, ROOT the root.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ccc_allgatherv(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm);
int ccc_gatherv(const void *, int, MPI_Datatype, void *, const int[], const int[], MPI_Datatype, int, MPI_Comm);
int ccc_scatterv(const void *, const int[], const int[], MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
int ccc_alltoallv(const void *, const int[], const int[], MPI_Datatype, void *, const int[], const int[], MPI_Datatype, MPI_Comm);
int ccc_reduce_scatter(const void *, void *, const int[], MPI_Datatype, MPI_Op, MPI_Comm);

enum { RANKS = 3, ROOM = 1 << 16 };

static const int counts[RANKS] = COUNTS, pairs[RANKS][RANKS] = PAIRS;
static int rank, wrong, in[ROOM], out[ROOM], own[ROOM];

/* The input of this rank, and the same in both outputs, for calls in place. */
static void begin(int in_place)
{
  for (int i = 0; i < ROOM; i++) in[i] = 7 * i + 100003 * rank;
  for (int i = 0; i < ROOM; i++) out[i] = own[i] = in_place ? in[i] : -1;
}

static void compare(const char *what, int apart, int in_place)
{
  if (memcmp(out, own, sizeof out) == 0) return;
  wrong++;
  fprintf(stderr, "rank %d: %s differs, apart %d, in place %d\n", rank, what, apart, in_place);
}

/* Shards side by side, or in reverse with gaps. */
static void lay_out(const int *of, int apart, int *places)
{
  int place = apart ? ROOM / 4 : 0;
  for (int i = 0; i < RANKS; i++) {
    if (apart) place -= of[i] + 3;
    places[i] = place;
    if (!apart) place += of[i];
  }
}

static void gather(int apart, int in_place, MPI_Datatype type, const int *of)
{
  int places[RANKS];
  lay_out(of, apart, places);
  const void *from = in_place ? MPI_IN_PLACE : (const void *)in;
  begin(in_place);
  ccc_allgatherv(from, of[rank], type, out, of, places, type, MPI_COMM_WORLD);
  PMPI_Allgatherv(from, of[rank], type, own, of, places, type, MPI_COMM_WORLD);
  compare("allgatherv", apart, in_place);
  from = in_place && rank == ROOT ? MPI_IN_PLACE : (const void *)in;
  begin(in_place);
  ccc_gatherv(from, of[rank], type, out, rank == ROOT ? of : NULL, places, type, ROOT, MPI_COMM_WORLD);
  PMPI_Gatherv(from, of[rank], type, own, rank == ROOT ? of : NULL, places, type, ROOT, MPI_COMM_WORLD);
  compare("gatherv", apart, in_place);
}

static void scatter(int apart, int in_place, MPI_Datatype type, const int *of)
{
  int places[RANKS];
  lay_out(of, apart, places);
  const int stays = in_place && rank == ROOT;
  begin(0);
  ccc_scatterv(in, of, places, type, stays ? MPI_IN_PLACE : out, of[rank], type, ROOT, MPI_COMM_WORLD);
  PMPI_Scatterv(in, of, places, type, stays ? MPI_IN_PLACE : own, of[rank], type, ROOT, MPI_COMM_WORLD);
  compare("scatterv", apart, in_place);
}

static void exchange(int apart, int in_place, MPI_Datatype type, int more)
{
  int give[RANKS], take[RANKS], give_at[RANKS], take_at[RANKS];
  for (int i = 0; i < RANKS; i++) {
    give[i] = pairs[rank][i] + more;
    take[i] = pairs[i][rank] + more;
    /* In place MPI wants what two ranks give each other to be alike. */
    if (in_place && give[i] != take[i]) return;
  }
  lay_out(give, apart, give_at);
  lay_out(take, apart, take_at);
  const void *from = in_place ? MPI_IN_PLACE : (const void *)in;
  begin(in_place);
  ccc_alltoallv(from, give, give_at, type, out, take, take_at, type, MPI_COMM_WORLD);
  PMPI_Alltoallv(from, give, give_at, type, own, take, take_at, type, MPI_COMM_WORLD);
  compare("alltoallv", apart, in_place);
}

static void reduce(int in_place, const int *of)
{
  int all = 0;
  for (int i = 0; i < RANKS; i++) all += of[i];
  const void *from = in_place ? MPI_IN_PLACE : (const void *)in;
  begin(in_place);
  ccc_reduce_scatter(from, out, of, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Reduce_scatter(from, own, of, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  /* What lies behind the result is anybody's, in place. */
  if (in_place) memcpy(out + of[rank], own + of[rank], (size_t)(all - of[rank]) * sizeof *out);
  compare("reduce_scatter", 0, in_place);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype gaps;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps);
  MPI_Type_commit(&gaps);
  int others[RANKS];
  for (int i = 0; i < RANKS; i++) others[i] = counts[i] + 1;
  for (int in_place = 0; in_place < 2; in_place++) {
    for (int apart = 0; apart < 2; apart++) {
      gather(apart, in_place, MPI_INT, counts);
      gather(apart, in_place, gaps, counts);
      scatter(apart, in_place, MPI_INT, counts);
      scatter(apart, in_place, gaps, counts);
      exchange(apart, in_place, MPI_INT, 0);
      exchange(apart, in_place, gaps, 0);
    }
    reduce(in_place, counts);
  }
  gather(0, 0, MPI_INT, others);
  scatter(0, 0, MPI_INT, others);
  exchange(0, 0, MPI_INT, 1);
  reduce(0, others);
  int all = 0;
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all);
  MPI_Type_free(&gaps);
  MPI_Finalize();
  return 0;
}
