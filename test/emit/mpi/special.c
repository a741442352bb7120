/*
 * What a driver with plain buffers does not reach: types with gaps, operators that do not commute, other communicators, other roots, errors.
 * Four processes; the plans are for three ranks, so that they serve a part of the world only. Emitted files are compiled with
 * -DPMPI_Allgather=mpi_Allgather and so on: the functions here count how often a plan hands a call on to MPI.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ccc_allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int ccc_allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int ccc_gather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
int ccc_reduce(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
int ccc_bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int ccc_scan(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int ccc_exscan(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static int handed_on, failures, rank;

int mpi_Allgather(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c)
{
  handed_on++;
  return PMPI_Allgather(s, n, t, r, m, u, c);
}

int mpi_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
  handed_on++;
  return PMPI_Allreduce(s, r, n, t, o, c);
}

int mpi_Gather(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm c)
{
  handed_on++;
  return PMPI_Gather(s, n, t, r, m, u, root, c);
}

int mpi_Reduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c)
{
  handed_on++;
  return PMPI_Reduce(s, r, n, t, o, root, c);
}

int mpi_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
  handed_on++;
  return PMPI_Bcast(b, n, t, root, c);
}

int mpi_Scan(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
  handed_on++;
  return PMPI_Scan(s, r, n, t, o, c);
}

int mpi_Exscan(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
  handed_on++;
  return PMPI_Exscan(s, r, n, t, o, c);
}

static void expect(const char *what, int holds)
{
  if (holds) return;
  failures++;
  fprintf(stderr, "rank %d: %s\n", rank, what);
}

/* Whether calls since the last question were handed on that often. */
static void expect_handed_on(const char *what, int times)
{
  expect(what, handed_on == times);
  handed_on = 0;
}

/* Affine maps x -> a x + b, with a gap behind them; they are composed, which does not commute. */
struct map {
  long a, b;
  char gap[8];
};

static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
  struct map *left = in, *right = inout;
  (void)type;
  for (int i = 0; i < *count; i++) {
    right[i].b = left[i].a * right[i].b + left[i].b;
    right[i].a = left[i].a * right[i].a;
  }
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
  struct map *left = in, *right = inout;
  (void)type;
  for (int i = 0; i < *count; i++) {
    right[i].a += left[i].a;
    right[i].b += left[i].b;
  }
}

/* Permutations of three things, the only numbers that their product knows. */
static const int permutations[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
static int strangers;

static void permute(void *in, void *inout, int *count, MPI_Datatype *type)
{
  int *left = in, *right = inout;
  (void)type;
  for (int i = 0; i < *count; i++) {
    int product[3], p;
    if (left[i] < 0 || left[i] > 5 || right[i] < 0 || right[i] > 5) {
      strangers++;
      continue;
    }
    for (int j = 0; j < 3; j++) product[j] = permutations[left[i]][permutations[right[i]][j]];
    for (p = 0; memcmp(permutations[p], product, sizeof product) != 0; p++) continue;
    right[i] = p;
  }
}

static MPI_Datatype map_type(void)
{
  MPI_Datatype pair, type;
  MPI_Type_contiguous(2, MPI_LONG, &pair);
  MPI_Type_create_resized(pair, 0, sizeof(struct map), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&pair);
  return type;
}

/* Senders and receivers see the same numbers through different types; gaps are left alone. */
static void gaps(MPI_Comm comm, int n)
{
  MPI_Datatype every_other, spaced;
  int *s = malloc(sizeof(int) * 2 * (size_t)n), *r = malloc(sizeof(int) * 6 * (size_t)n), *e = malloc(sizeof(int) * 6 * (size_t)n);
  MPI_Type_vector(n, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced);
  MPI_Type_commit(&spaced);
  for (int i = 0; i < 2 * n; i++) s[i] = rank * 1000 + i;
  for (int i = 0; i < 6 * n; i++) r[i] = e[i] = -1;
  ccc_allgather(s, 1, every_other, r, n, MPI_INT, comm);
  MPI_Allgather(s, 1, every_other, e, n, MPI_INT, comm);
  expect("allgather from a type with gaps", memcmp(r, e, sizeof(int) * 6 * (size_t)n) == 0);
  for (int i = 0; i < 6 * n; i++) r[i] = e[i] = -1;
  ccc_allgather(s, n, MPI_INT, r, n, spaced, comm);
  MPI_Allgather(s, n, MPI_INT, e, n, spaced, comm);
  expect("allgather to a type with gaps", memcmp(r, e, sizeof(int) * 6 * (size_t)n) == 0);
  for (int i = 0; i < 6 * n; i++) r[i] = e[i] = rank * 1000 + i;
  ccc_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r, n, spaced, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, e, n, spaced, comm);
  expect("allgather in place with gaps", memcmp(r, e, sizeof(int) * 6 * (size_t)n) == 0);
  /* The root names ints, the others one long vector. */
  for (int i = 0; i < 6 * n; i++) r[i] = e[i] = -1;
  ccc_gather(s, rank == 0 ? n : 1, rank == 0 ? MPI_INT : every_other, r, n, spaced, 0, comm);
  MPI_Gather(s, rank == 0 ? n : 1, rank == 0 ? MPI_INT : every_other, e, n, spaced, 0, comm);
  expect("gather with a type for each rank", memcmp(r, e, sizeof(int) * 6 * (size_t)n) == 0);
  expect_handed_on("data with gaps are moved by the plan", 0);
  MPI_Type_free(&every_other);
  MPI_Type_free(&spaced);
  free(s);
  free(r);
  free(e);
}

static void operators(MPI_Comm comm, int n)
{
  MPI_Datatype type = map_type();
  MPI_Op composing, adding;
  size_t bytes = sizeof(struct map) * (size_t)n;
  struct map *s = calloc(1, bytes), *r = calloc(1, bytes), *e = calloc(1, bytes);
  MPI_Op_create(compose, 0, &composing);
  MPI_Op_create(add, 1, &adding);
  for (int i = 0; i < n; i++) s[i].a = rank + 2, s[i].b = i % 5 + rank;
  ccc_allreduce(s, r, n, type, adding, comm);
  MPI_Allreduce(s, e, n, type, adding, comm);
  expect("allreduce with an operator and a type of one's own", memcmp(r, e, bytes) == 0);
  expect_handed_on("what commutes is the plan's", 0);
  ccc_allreduce(s, r, n, type, composing, comm);
  MPI_Allreduce(s, e, n, type, composing, comm);
  expect("allreduce with an operator that does not commute", memcmp(r, e, bytes) == 0);
  expect_handed_on("what does not commute is MPI's", 1);
  ccc_scan(s, r, n, type, composing, comm);
  MPI_Scan(s, e, n, type, composing, comm);
  expect("scan keeps the order of ranks", memcmp(r, e, bytes) == 0);
  memcpy(r, s, bytes);
  ccc_scan(MPI_IN_PLACE, r, n, type, composing, comm);
  expect("scan in place keeps the order of ranks", memcmp(r, e, bytes) == 0);
  memset(r, 0, bytes);
  memset(e, 0, bytes);
  ccc_exscan(s, rank == 0 ? NULL : r, n, type, composing, comm);
  MPI_Exscan(s, e, n, type, composing, comm);
  expect("exscan keeps the order of ranks", rank == 0 || memcmp(r, e, bytes) == 0);
  expect_handed_on("scans that do not commute are the plan's", 0);
  MPI_Op_free(&composing);
  MPI_Op_free(&adding);
  MPI_Type_free(&type);
  free(s);
  free(r);
  free(e);
}

/* What calls before have left in the workspace is not shown to an operator, whatever the count. */
static void strange_elements(MPI_Comm comm, int n)
{
  size_t bytes = sizeof(int) * (size_t)n;
  int *s = malloc(bytes), *r = malloc(bytes), *e = malloc(bytes);
  MPI_Op permuting;
  MPI_Op_create(permute, 0, &permuting);
  for (int i = 0; i < n; i++) s[i] = 1000 + i;
  ccc_scan(s, r, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; i++) s[i] = (i * 7 + rank) % 6;
  ccc_scan(s, r, n, MPI_INT, permuting, comm);
  MPI_Scan(s, e, n, MPI_INT, permuting, comm);
  expect("scan of permutations", memcmp(r, e, bytes) == 0);
  expect("an operator is given nothing but what the ranks have", strangers == 0);
  expect_handed_on("scans of permutations are the plan's", 0);
  MPI_Op_free(&permuting);
  free(s);
  free(r);
  free(e);
}

static void roots(MPI_Comm comm, int n)
{
  double *s = malloc(sizeof(double) * (size_t)n), *r = malloc(sizeof(double) * (size_t)n);
  int size;
  MPI_Comm_size(comm, &size);
  for (int root = 0; root < size; root++) {
    int good = 1;
    for (int i = 0; i < n; i++) s[i] = rank + i, r[i] = -1;
    ccc_reduce(s, r, n, MPI_DOUBLE, MPI_SUM, root, comm);
    for (int i = 0; i < n; i++) good &= rank == root ? r[i] == 3 + 3.0 * i : r[i] == -1 && s[i] == rank + i;
    expect("reduce to any root", good);
    for (int i = 0; i < n; i++) r[i] = rank == root ? root * 100 + i : -1;
    ccc_bcast(r, n, MPI_DOUBLE, root, comm);
    for (int i = 0; i < n; i++) good &= r[i] == root * 100 + i;
    expect("broadcast from any root", good);
  }
  expect_handed_on("reduce and broadcast take any root", 0);
  free(s);
  free(r);
}

static void others(MPI_Comm part)
{
  int all[8] = { 0 }, mine = rank, rc, class;
  MPI_Comm inter;
  ccc_allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  expect("another number of ranks", all[0] == 0 && all[1] == 1 && all[2] == 2 && all[3] == 3);
  expect_handed_on("another number of ranks is MPI's", 1);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank < 3 ? 3 : 0, 7, &inter);
  ccc_allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, inter);
  expect("an intercommunicator", all[0] == (rank < 3 ? 3 : 0));
  expect_handed_on("an intercommunicator is MPI's", 1);
  MPI_Comm_free(&inter);
  if (rank == 3) return;
  MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
  rc = ccc_allgather(&mine, -1, MPI_INT, all, -1, MPI_INT, part);
  MPI_Error_class(rc, &class);
  expect("a negative count is refused as MPI refuses it", rc != MPI_SUCCESS && class == MPI_ERR_COUNT);
  rc = ccc_bcast(&mine, 1, MPI_INT, 17, part);
  MPI_Error_class(rc, &class);
  expect("a root that is not there is refused as MPI refuses it", rc != MPI_SUCCESS && class == MPI_ERR_ROOT);
  expect_handed_on("errors are MPI's", 2);
}

int main(int argc, char **argv)
{
  int all;
  MPI_Comm part;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 3, rank, &part);
  others(part);
  if (rank < 3) {
    const int counts[] = { 1, 7, 64, 2, 3001 }, most = argc > 1 ? atoi(argv[1]) : 5;
    for (int i = 0; i < most; i++) {
      gaps(part, counts[i]);
      operators(part, counts[i]);
      strange_elements(part, counts[i]);
      roots(part, counts[i]);
    }
  }
  MPI_Comm_free(&part);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all == 0 ? "all good\n" : "%d failures\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
