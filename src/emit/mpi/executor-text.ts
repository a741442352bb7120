/**
 * C code that runs a plan's tables over MPI, the same for every plan. Each lane has one request; requests are posted in the plan's order and waited
 * for together. The code relies on a proof with strict ownership and, apart from outboxes, without buffering in channels.
 */
export const executorText = `/* ---- Elements: what messages and reductions count in ---- */

struct ccc_elements {
  MPI_Datatype type;
  MPI_Aint extent;      /* bytes from one element to the next */
  MPI_Aint lower, span; /* bytes: where an element's data begin and how far they reach */
  int plain;            /* no gaps: memcpy will do */
};

static int ccc_describe(MPI_Datatype type, struct ccc_elements *of)
{
  MPI_Aint lower;
  int size, rc;
  of->type = type;
  if ((rc = PMPI_Type_size(type, &size)) != MPI_SUCCESS) return rc;
  if ((rc = PMPI_Type_get_extent(type, &lower, &of->extent)) != MPI_SUCCESS) return rc;
  if ((rc = PMPI_Type_get_true_extent(type, &of->lower, &of->span)) != MPI_SUCCESS) return rc;
  of->plain = of->lower == 0 && of->span == size && of->extent == size;
  return MPI_SUCCESS;
}

/* ---- What is kept with a communicator ---- */

enum ccc_phase { CCC_READY, CCC_POSTED, CCC_ARRIVED, CCC_FINISHED };

struct ccc_lane_state {
  int operation, bulk;
  enum ccc_phase phase;
  size_t staging; /* where in the workspace its messages wait to be combined or spread */
  size_t outbox;  /* where they wait to be taken once the sender has gone on */
};

struct ccc_state {
  MPI_Comm comm; /* a private one: no message of the program can be mistaken for one of the plan */
  int rank;
  const char *caller; /* the function of MPI that is being served */
  char *workspace;
  size_t room; /* bytes of the workspace; it only grows */
  struct ccc_lane_state lanes[CCC_MOST_LANES];
  MPI_Request requests[2 * CCC_MOST_LANES]; /* one per lane, then one per outbox */
  int completed[2 * CCC_MOST_LANES];
  int done[CCC_MOST_OPERATIONS]; /* bulks for which each operation is complete */
};

/* ---- One run of the plan ---- */

enum { CCC_STAGING = CCC_SCRATCH + 1, CCC_OUTBOX };

struct ccc_run {
  struct ccc_state *state;
  const struct ccc_plan *plan;
  int rank;  /* of the plan */
  int shift; /* what to add to a rank of the plan to get one of the communicator */
  int lanes;
  const struct ccc_elements *of;
  MPI_Op op;
  int commutes;
  size_t chunk; /* elements of a chunk of one bulk; of the largest where shards are cut */
  int joined;   /* of one bulk the chunks of all shards lie one behind the other */
  const size_t (*starts)[CCC_RANKS + 1]; /* of input and output: the element at which each shard begins, and the end */
  char *base[CCC_OUTBOX + 1];
};

static int ccc_peer(const struct ccc_run *run, int peer)
{
  return (peer + run->shift) % CCC_RANKS;
}

/* The element of input or output at which a piece of a shard begins: pieces are chunks, counted over all bulks. */
static size_t ccc_edge(const struct ccc_run *run, int buffer, int shard, size_t piece)
{
  const size_t *starts = run->starts[buffer], parts = (size_t)run->plan->chunks * (size_t)run->plan->bulks;
  size_t length;
  if (!run->plan->cuts) return starts[shard] + piece * run->chunk;
  if (piece == 0) return starts[shard];
  length = starts[shard + 1] - starts[shard];
  return starts[shard] + length / parts * piece + length % parts * piece / parts;
}

/* The address of chunk number at of a buffer, and its elements; shortens *count to the chunks that lie side by side from there. */
static char *ccc_stretch(const struct ccc_run *run, int buffer, int at, int bulk, int *count, size_t *elements)
{
  size_t first;
  if (buffer == CCC_SCRATCH) {
    size_t copy = (size_t)(bulk % run->plan->scratch_copies);
    first = (copy * (size_t)run->plan->programs[run->rank].scratch + (size_t)at) * run->chunk;
    *elements = (size_t)*count * run->chunk;
  } else {
    const int chunks = run->plan->chunks, left = chunks - at % chunks;
    const size_t before = (size_t)bulk * (size_t)chunks;
    int last;
    if (*count > left && !run->joined) *count = left;
    last = at + *count - 1;
    first = ccc_edge(run, buffer, at / chunks, before + (size_t)(at % chunks));
    *elements = ccc_edge(run, buffer, last / chunks, before + (size_t)(last % chunks) + 1) - first;
  }
  return run->base[buffer] + (MPI_Aint)first * run->of->extent;
}

/* Elements of a message of count chunks. */
static size_t ccc_length(const struct ccc_run *run, int buffer, int at, int bulk, int count)
{
  size_t elements, all = 0;
  int i, length;
  for (i = 0; i < count; i += length, all += elements) {
    length = count - i;
    ccc_stretch(run, buffer, at + i, bulk, &length, &elements);
  }
  return all;
}

/* Copies elements that do not overlap; those with gaps go through a message to oneself. */
static int ccc_move(const struct ccc_state *state, const struct ccc_elements *of, const char *from, char *to, size_t count)
{
  if (from == to || count == 0) return MPI_SUCCESS;
  if (of->plain) {
    memcpy(to, from, count * (size_t)of->extent);
    return MPI_SUCCESS;
  }
  return PMPI_Sendrecv(from, (int)count, of->type, state->rank, CCC_OWN_TAG, to, (int)count, of->type, state->rank,
    CCC_OWN_TAG, state->comm, MPI_STATUS_IGNORE);
}

/* target = target (+) source, or source (+) target; may spoil what lies in staging. */
static int ccc_combine(const struct ccc_run *run, char *source, char *target, size_t count, int source_first)
{
  int rc;
  if (run->commutes || source_first) return PMPI_Reduce_local(source, target, (int)count, run->of->type, run->op);
  rc = PMPI_Reduce_local(target, source, (int)count, run->of->type, run->op);
  return rc != MPI_SUCCESS ? rc : ccc_move(run->state, run->of, source, target, count);
}

/* Copies or combines count chunks, stretch by stretch. Staging and outboxes hold them one behind the other. */
static int ccc_transfer(const struct ccc_run *run, int source, int source_at, int target, int target_at, int count,
  int bulk, int combine, int source_first)
{
  size_t elements = 0, packed = 0;
  int i, length, rc;
  for (i = 0; i < count; i += length, packed += elements) {
    char *from = run->base[source] + (MPI_Aint)packed * run->of->extent;
    char *to = run->base[target] + (MPI_Aint)packed * run->of->extent;
    length = count - i;
    if (source < CCC_STAGING) from = ccc_stretch(run, source, source_at + i, bulk, &length, &elements);
    if (target < CCC_STAGING) to = ccc_stretch(run, target, target_at + i, bulk, &length, &elements);
    rc = combine ? ccc_combine(run, from, to, elements, source_first) : ccc_move(run->state, run->of, from, to, elements);
    if (rc != MPI_SUCCESS) return rc;
  }
  return MPI_SUCCESS;
}

/* A reduction on the spot; where the order of operands spoils the source, on a copy of it. */
static int ccc_reduce_here(const struct ccc_run *run, const struct ccc_operation *o, int bulk)
{
  int source = o->source, at = o->source_at, rc;
  if (!run->commutes && !o->source_first) {
    rc = ccc_transfer(run, source, at, CCC_STAGING, 0, o->count, bulk, 0, 0);
    if (rc != MPI_SUCCESS) return rc;
    source = CCC_STAGING;
    at = 0;
  }
  return ccc_transfer(run, source, at, o->target, o->target_at, o->count, bulk, 1, o->source_first);
}

/* Everything that an operation waits for is complete. */
static int ccc_may_run(const struct ccc_run *run, int operation, int bulk)
{
  const struct ccc_plan *plan = run->plan;
  int base = plan->first_operation[plan->programs[run->rank].first_lane], w;
  for (w = plan->operations[operation].first_wait; w < plan->operations[operation + 1].first_wait; w++)
    if (run->state->done[plan->waits[w].operation - base] + plan->waits[w].bulks <= bulk) return 0;
  return 1;
}

/* Goes on to the lane's next operation, of the next bulk after the last one. */
static void ccc_complete(const struct ccc_run *run, int lane, int *open)
{
  struct ccc_lane_state *l = &run->state->lanes[lane];
  const int *first = &run->plan->first_operation[run->plan->programs[run->rank].first_lane];
  run->state->done[l->operation - first[0]]++;
  l->phase = CCC_READY;
  if (++l->operation < first[lane + 1]) return;
  l->operation = first[lane];
  if (++l->bulk < run->plan->bulks) return;
  l->phase = CCC_FINISHED;
  --*open;
}

/* Posts a message, from or into the buffer itself where its chunks lie side by side and nothing is combined. */
static int ccc_post(struct ccc_run *run, int lane)
{
  struct ccc_lane_state *l = &run->state->lanes[lane];
  const struct ccc_operation *o = &run->plan->operations[l->operation];
  int sends = o->kind == CCC_SEND, length = o->count, rc;
  const int buffer = sends ? o->source : o->target, first = sends ? o->source_at : o->target_at;
  size_t elements;
  char *at = ccc_stretch(run, buffer, first, l->bulk, &length, &elements);
  if (length < o->count || o->kind == CCC_RECV_REDUCE) {
    at = run->base[CCC_STAGING];
    elements = ccc_length(run, buffer, first, l->bulk, o->count);
    if (sends) {
      rc = ccc_transfer(run, o->source, o->source_at, CCC_STAGING, 0, o->count, l->bulk, 0, 0);
      if (rc != MPI_SUCCESS) return rc;
    }
  }
  l->phase = CCC_POSTED;
  return sends ? PMPI_Isend(at, (int)elements, run->of->type, ccc_peer(run, o->peer), o->channel, run->state->comm,
                   &run->state->requests[lane])
               : PMPI_Irecv(at, (int)elements, run->of->type, ccc_peer(run, o->peer), o->channel, run->state->comm,
                   &run->state->requests[lane]);
}

/* Copies a message to the lane's outbox, whatever has become of its receiver. */
static int ccc_post_copy(struct ccc_run *run, int lane)
{
  struct ccc_lane_state *l = &run->state->lanes[lane];
  const struct ccc_operation *o = &run->plan->operations[l->operation];
  int rc;
  run->base[CCC_OUTBOX] = run->state->workspace + l->outbox - run->of->lower;
  rc = ccc_transfer(run, o->source, o->source_at, CCC_OUTBOX, 0, o->count, l->bulk, 0, 0);
  if (rc != MPI_SUCCESS) return rc;
  return PMPI_Isend(run->base[CCC_OUTBOX], (int)ccc_length(run, o->source, o->source_at, l->bulk, o->count), run->of->type,
    ccc_peer(run, o->peer), o->channel, run->state->comm, &run->state->requests[run->lanes + lane]);
}

/* Does what can be done now for a lane; *moved is set if that was something. */
static int ccc_advance(struct ccc_run *run, int lane, int *open, int *moved)
{
  struct ccc_lane_state *l = &run->state->lanes[lane];
  int rc = MPI_SUCCESS;
  run->base[CCC_STAGING] = run->state->workspace + l->staging - run->of->lower;
  while (rc == MPI_SUCCESS && (l->phase == CCC_READY || l->phase == CCC_ARRIVED)) {
    const struct ccc_operation *o = &run->plan->operations[l->operation];
    /* What is combined on arrival may come at any time: until then it lies in staging. */
    int early = o->kind == CCC_RECV_REDUCE && l->phase == CCC_READY;
    if (!early && !ccc_may_run(run, l->operation, l->bulk)) return MPI_SUCCESS;
    if (o->goes_on && run->state->requests[run->lanes + lane] != MPI_REQUEST_NULL) return MPI_SUCCESS;
    *moved = 1;
    if (l->phase == CCC_ARRIVED)
      rc = ccc_transfer(run, CCC_STAGING, 0, o->target, o->target_at, o->count, l->bulk, o->kind == CCC_RECV_REDUCE,
        o->source_first);
    else if (o->kind == CCC_COPY)
      rc = ccc_transfer(run, o->source, o->source_at, o->target, o->target_at, o->count, l->bulk, 0, 0);
    else if (o->kind == CCC_REDUCE)
      rc = ccc_reduce_here(run, o, l->bulk);
    else if (o->goes_on)
      rc = ccc_post_copy(run, lane);
    else
      return ccc_post(run, lane);
    ccc_complete(run, lane, open);
  }
  return rc;
}

/* A message has gone or come. */
static void ccc_arrive(const struct ccc_run *run, int lane, int *open)
{
  struct ccc_lane_state *l = &run->state->lanes[lane];
  const struct ccc_operation *o = &run->plan->operations[l->operation];
  size_t elements;
  int length = o->count;
  if (o->kind == CCC_RECV) ccc_stretch(run, o->target, o->target_at, l->bulk, &length, &elements);
  if (o->kind == CCC_RECV_REDUCE || length < o->count) l->phase = CCC_ARRIVED;
  else ccc_complete(run, lane, open);
}

static int ccc_execute(struct ccc_run *run)
{
  struct ccc_state *state = run->state;
  const int *first = &run->plan->first_operation[run->plan->programs[run->rank].first_lane];
  const int lanes = run->lanes, requests = run->plan->requests_per_lane * lanes;
  int open = lanes, count, lane, moved, rc;
  memset(state->done, 0, sizeof(int) * (size_t)(first[lanes] - first[0]));
  for (lane = 0; lane < lanes; lane++) {
    state->lanes[lane].operation = first[lane];
    state->lanes[lane].bulk = 0;
    state->lanes[lane].phase = CCC_READY;
    state->requests[lane] = state->requests[lanes + lane] = MPI_REQUEST_NULL;
  }
  for (;;) {
    do {
      moved = 0;
      for (lane = 0; lane < lanes; lane++)
        if ((rc = ccc_advance(run, lane, &open, &moved)) != MPI_SUCCESS) return rc;
    } while (moved);
    if (open == 0) return PMPI_Waitall(requests, state->requests, MPI_STATUSES_IGNORE);
    rc = PMPI_Waitsome(requests, state->requests, &count, state->completed, MPI_STATUSES_IGNORE);
    if (rc != MPI_SUCCESS) return rc;
    /* Nothing under way and nothing that may run: a proved plan has no such moment. */
    if (count == MPI_UNDEFINED) return MPI_ERR_INTERN;
    for (lane = 0; lane < count; lane++)
      if (state->completed[lane] < lanes) ccc_arrive(run, state->completed[lane], &open);
  }
}
`;
