/** The part of the C driver that is the same for every plan: buffers, the check, the clock and main. */
export const mainText = String.raw`
/* Memory on large pages where the system has them, so that page faults are nobody's time. */
static void *room(size_t bytes)
{
  const size_t page = (size_t)1 << 21;
  void *memory = NULL;
  bytes = (bytes + page) / page * page;
  if (posix_memalign(&memory, page, bytes) != 0) {
    fprintf(stderr, "rank %d: no memory for %zu bytes\n", rank, bytes);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  madvise(memory, bytes, MADV_HUGEPAGE);
  memset(memory, 0, bytes);
  return memory;
}

/* Buffers of one kind of call: in place they are one. */
struct buffers {
  element *memory, *input, *output;
};

static struct buffers buffers_for(int64_t n, int in_place)
{
  struct buffers b;
  int64_t inputs = input_shards(), outputs = output_shards();
  b.memory = room(sizeof(element) * (size_t)((in_place ? (inputs > outputs ? inputs : outputs) : inputs + outputs) * n));
  b.input = b.memory + (in_place && outputs > 0 ? input_at() * n : 0);
  b.output = b.memory + (in_place ? (inputs > 0 ? output_at() * n : 0) : inputs * n);
  return b;
}

static void fill(const struct buffers *b, int64_t n)
{
  for (int64_t x = 0; x < output_shards() * n; x++) b->output[x] = (element) { 0 };
  for (int64_t x = 0; x < input_shards() * n; x++) b->input[x] = value(rank, x);
}

/* Elements of the output that are wrong after a call, on all ranks together; the first is shown. */
static int64_t check(int (*call)(const void *, void *, int, int), const struct buffers *b, int64_t n, int in_place, const char *name)
{
  int64_t wrong = 0, all = 0;
  fill(b, n);
  call(b->input, b->output, (int)n, in_place);
  for (int64_t x = 0; x < output_shards() * n; x++) {
    if (same(b->output[x], expected(n, x))) continue;
    if (wrong++ == 0)
      fprintf(stderr, "%s%s, rank %d: element %lld of the output is %g, expected %g\n", name, in_place ? " in place" : "",
        rank, (long long)x, shown(b->output[x]), shown(expected(n, x)));
  }
  if (!in_place)
    for (int64_t x = 0; x < input_shards() * n; x++) wrong += !same(b->input[x], value(rank, x));
  MPI_Allreduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* Seconds of one call, of the slowest rank, as a mean over some calls. None begins before the last one has ended everywhere, and what it
   moves is new each time, as in programs: what others have read before would still be in their caches. */
static double sample(int (*call)(const void *, void *, int, int), const struct buffers *b, int64_t n, int calls)
{
  double seconds = 0, slowest;
  for (int i = 0; i < calls; i++) {
    fill(b, n);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    call(b->input, b->output, (int)n, TIMED_IN_PLACE);
    seconds += MPI_Wtime() - begun;
  }
  seconds /= calls;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char **argv)
{
  int size, status = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != RANKS) {
    if (rank == 0) fprintf(stderr, "the plan is for %d ranks, and there are %d processes\n", RANKS, size);
    MPI_Finalize();
    return 2;
  }
  if (rank == 0) printf("[");
  for (int a = 1; a + 2 < argc; a += 3) {
    const int64_t n = atoll(argv[a]);
    const int samples = atoi(argv[a + 1]), calls = atoi(argv[a + 2]);
    struct buffers apart = buffers_for(n, ONE_BUFFER), together = buffers_for(n, 1), *timed = TIMED_IN_PLACE ? &together : &apart;
    int64_t wrong = check(by_plan, &apart, n, ONE_BUFFER, "the plan") + check(by_plan, &together, n, 1, "the plan");
    int64_t theirs = check(by_mpi, &apart, n, ONE_BUFFER, "MPI") + check(by_mpi, &together, n, 1, "MPI");
    double best[2] = { -1, -1 }, *all[2];
    int taken[2] = { 0, 0 };
    for (int whose = 0; whose < 2; whose++) all[whose] = room(sizeof(double) * (size_t)samples);
    fill(timed, n);
    for (int i = 0; i < 2 * samples; i++) {
      /* Plan, MPI, MPI, plan, ...: neither always comes first. */
      const int mine = (i % 4 == 0 || i % 4 == 3);
      const double seconds = sample(mine ? by_plan : by_mpi, timed, n, calls);
      all[mine][taken[mine]++] = seconds;
      if (best[mine] < 0 || seconds < best[mine]) best[mine] = seconds;
    }
    if (wrong + theirs > 0) status = 1;
    if (rank == 0) {
      printf("%s{\"elements\": %lld, \"wrong\": %lld, \"mpiWrong\": %lld, \"seconds\": %.9g, \"mpiSeconds\": %.9g", a == 1 ? "" : ", ",
        (long long)n, (long long)wrong, (long long)theirs, best[1], best[0]);
      for (int whose = 1; whose >= 0; whose--) {
        printf(", \"%s\": [", whose ? "all" : "allMpi");
        for (int i = 0; i < taken[whose]; i++) printf("%s%.9g", i == 0 ? "" : ", ", all[whose][i]);
        printf("]");
      }
      printf("}");
    }
    for (int whose = 0; whose < 2; whose++) free(all[whose]);
    free(apart.memory);
    free(together.memory);
  }
  if (rank == 0) printf("]\n");
  MPI_Finalize();
  return status;
}
`;
