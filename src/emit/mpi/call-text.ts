/**
 * C code between MPI's calls and the executor: it chooses chunks for any count, locates input and output, in place or not, handles types with gaps,
 * and keeps state with each communicator.
 */
import type { Collective } from '../../ir/collective.ts';
import { shardLengthsText } from './shards.ts';

export const callText = (collective: Collective): string => `/* ---- One call: any count, in place or not ---- */

struct ccc_call {
  struct ccc_state *state;
  const struct ccc_plan *plan;
  int rank, shift; /* as in struct ccc_run */
  struct ccc_elements of;
  MPI_Op op;
  int commutes;
  char *from, *to; /* the caller's input and output; NULL where this rank has none */
  int in_place;    /* from lies where MPI_IN_PLACE says, within to or around it */
  int may_spoil;   /* the caller's input may be written */
  size_t elements; /* of a shard; of the longest where they differ */
  int bytes;       /* of data in an element */
};

${shardLengthsText(collective)}
/* Where the shards of input and output begin, in elements: every so many of them, or with 0 where the caller has them. */
static void ccc_lay_out(const struct ccc_call *call, size_t stride, size_t starts[][CCC_RANKS + 1])
{
  const struct ccc_program *p = &call->plan->programs[call->rank];
  int buffer, i;
  for (buffer = CCC_INPUT; buffer <= CCC_OUTPUT; buffer++) {
    const int shards = (buffer == CCC_INPUT ? p->input : p->output) / call->plan->chunks;
    starts[buffer][0] = 0;
    for (i = 0; i < shards; i++) starts[buffer][i + 1] = starts[buffer][i] + (stride > 0 ? stride : ccc_shard(call, buffer, i));
  }
}

/* Parts that a shard is cut into. */
static size_t ccc_parts(const struct ccc_plan *plan)
{
  return (size_t)plan->chunks * (size_t)plan->bulks;
}

/* Bytes of a shard up to which a count that does not divide is rounded up instead of run in two parts. */
enum { CCC_SMALL = 16384 };

/* The plan for messages whose shards have that many bytes: all ranks know how many. */
static const struct ccc_plan *ccc_plan_for(size_t bytes)
{
  int i = CCC_PLANS - 1;
  while (i > 0 && bytes * CCC_SHARDS < ccc_plans[i].from) i--;
  return &ccc_plans[i];
}

/* CCC_VERBOSE=1 in the environment: rank 0 of the communicator says who serves each call. */
static int ccc_is_told(int rank)
{
  static int verbose = -1;
  if (verbose < 0) {
    const char *wish = getenv("CCC_VERBOSE");
    verbose = wish != NULL && strcmp(wish, "") != 0 && strcmp(wish, "0") != 0;
  }
  return verbose && rank == 0;
}

/* Says why a call goes on to MPI. */
static void ccc_tell_why(MPI_Comm comm, const char *caller, const char *why)
{
  int rank;
  if (comm == MPI_COMM_NULL || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || !ccc_is_told(rank)) return;
  fprintf(stderr, "ccc: %s goes on to MPI: %s\\n", caller, why);
}

/* Makes room for count elements behind *size bytes, and returns where they are. */
static size_t ccc_reserve(size_t *size, const struct ccc_elements *of, size_t count)
{
  size_t at = *size;
  if (count > 0) *size += ((count - 1) * (size_t)of->extent + (size_t)of->span + CCC_LINE - 1) / CCC_LINE * CCC_LINE;
  return at;
}

/* The workspace is on large pages where the system has them: messages are copied faster from there. */
static int ccc_make_room(struct ccc_state *state, size_t size)
{
  const size_t page = (size_t)1 << 21;
  const int large = size >= page / 16;
  if (size <= state->room) return MPI_SUCCESS;
  if (large) size = (size + page - 1) / page * page;
  free(state->workspace);
  state->workspace = aligned_alloc(large ? page : CCC_LINE, size);
#ifdef MADV_HUGEPAGE
  if (large && state->workspace != NULL) (void)madvise(state->workspace, size, MADV_HUGEPAGE);
#endif
  state->room = state->workspace == NULL ? 0 : size;
  return state->workspace == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* Elements of a shard of the caller's, whose shards begin there, that a pass over so many of each runs with. */
static size_t ccc_part(const size_t *starts, int shard, size_t length)
{
  const size_t elements = starts[shard + 1] - starts[shard];
  return elements < length ? elements : length;
}

/* Copies so many elements of each shard at most between buffers whose shards begin elsewhere; the caller's begin at own. */
static int ccc_move_shards(const struct ccc_call *call, int shards, const char *from, const size_t *from_starts, char *to,
  const size_t *to_starts, const size_t *own, size_t length)
{
  int i, rc = MPI_SUCCESS;
  for (i = 0; i < shards && rc == MPI_SUCCESS; i++)
    rc = ccc_move(call->state, &call->of, from + (MPI_Aint)from_starts[i] * call->of.extent,
      to + (MPI_Aint)to_starts[i] * call->of.extent, ccc_part(own, i, length));
  return rc;
}

/* Fills up shards behind their elements with copies of these: what pads chunks is combined like the rest, and an operator may
   know no other elements than those that it is given. A shard of none gets those of another one; data that are only moved, zeros. */
static int ccc_pad_shards(const struct ccc_call *call, int shards, char *buffer, const size_t *starts, const size_t *own,
  size_t length)
{
  int i, donor = 0, rc = MPI_SUCCESS;
  size_t filled, count;
  while (donor < shards && ccc_part(own, donor, length) == 0) donor++;
  for (i = 0; i < shards; i++) {
    const size_t room = starts[i + 1] - starts[i];
    char *shard = buffer + (MPI_Aint)starts[i] * call->of.extent;
    filled = ccc_part(own, i, length);
    if (donor == shards) memset(shard + call->of.lower, 0, (room - 1) * (size_t)call->of.extent + (size_t)call->of.span);
    else if (filled == 0) {
      rc = ccc_move(call->state, &call->of, buffer + (MPI_Aint)starts[donor] * call->of.extent, shard, 1);
      filled = 1;
    }
    for (; donor < shards && filled < room && rc == MPI_SUCCESS; filled += count) {
      count = filled < room - filled ? filled : room - filled;
      rc = ccc_move(call->state, &call->of, shard, shard + (MPI_Aint)filled * call->of.extent, count);
    }
  }
  return rc;
}

/* Runs the plan for elements first to first + length - 1 of each shard, in chunks of that many elements. */
static int ccc_pass(const struct ccc_call *call, size_t first, size_t length, size_t chunk)
{
  const struct ccc_plan *plan = call->plan;
  const struct ccc_program *p = &plan->programs[call->rank];
  const struct ccc_lane *lanes = &plan->lanes[p->first_lane];
  const int inputs = p->input / plan->chunks, outputs = p->output / plan->chunks;
  const int padded = !plan->cuts && (CCC_SIZED || chunk * ccc_parts(plan) != length);
  size_t own[CCC_OUTPUT + 1][CCC_RANKS + 1], starts[CCC_OUTPUT + 1][CCC_RANKS + 1];
  const MPI_Aint extent = call->of.extent, skip = (MPI_Aint)first * extent;
  const int shared = p->shared;
  struct ccc_run run = { 0 };
  char *from = call->from == NULL ? NULL : call->from + skip, *to = call->to == NULL ? NULL : call->to + skip;
  char *input = from, *output = to;
  size_t size = 0, input_room = 0, output_room = 0, scratch;
  int own_input, own_output, joined, lane, rc;

  ccc_lay_out(call, 0, own);
  ccc_lay_out(call, padded ? chunk * ccc_parts(plan) : 0, starts);
  /* Which of them need memory of their own. One memory for both belongs to the larger of them. */
  if (shared && outputs >= inputs) {
    own_input = own_output = padded || to == NULL;
    if (!own_output) input = to + (MPI_Aint)starts[CCC_OUTPUT][p->input_at / plan->chunks] * extent;
  } else if (shared) {
    own_input = own_output = padded || (p->writes_input && !call->may_spoil);
    if (!own_input) output = from + (MPI_Aint)starts[CCC_INPUT][p->output_at / plan->chunks] * extent;
  } else {
    own_input = inputs > 0 && (padded || (p->writes_input && !call->may_spoil) || (call->in_place && outputs > 0));
    own_output = outputs > 0 && (padded || to == NULL);
  }
  if (shared && own_input)
    input_room = output_room =
      ccc_reserve(&size, &call->of, inputs > outputs ? starts[CCC_INPUT][inputs] : starts[CCC_OUTPUT][outputs]);
  if (!shared && own_input) input_room = ccc_reserve(&size, &call->of, starts[CCC_INPUT][inputs]);
  if (!shared && own_output) output_room = ccc_reserve(&size, &call->of, starts[CCC_OUTPUT][outputs]);
  scratch = ccc_reserve(&size, &call->of, (size_t)p->scratch * (size_t)plan->scratch_copies * chunk);
  joined = plan->bulks == 1 && (plan->cuts || padded || chunk * (size_t)plan->chunks == call->elements);
  for (lane = 0; lane < p[1].first_lane - p->first_lane; lane++) {
    int chunks = joined && call->commutes ? lanes[lane].combined : lanes[lane].largest;
    call->state->lanes[lane].staging = ccc_reserve(&size, &call->of, (size_t)chunks * chunk);
    chunks = lanes[lane].outbox;
    call->state->lanes[lane].outbox = ccc_reserve(&size, &call->of, (size_t)chunks * chunk);
  }
  if ((rc = ccc_make_room(call->state, size)) != MPI_SUCCESS) return rc;
  if (own_input) input = call->state->workspace + input_room - call->of.lower;
  if (own_output) output = call->state->workspace + output_room - call->of.lower;
  if (own_input && shared) {
    input += (MPI_Aint)starts[CCC_OUTPUT][p->input_at / plan->chunks] * extent;
    output += (MPI_Aint)starts[CCC_INPUT][p->output_at / plan->chunks] * extent;
  }
  run.state = call->state;
  run.plan = plan;
  run.rank = call->rank;
  run.shift = call->shift;
  run.lanes = p[1].first_lane - p->first_lane;
  run.of = &call->of;
  run.op = call->op;
  run.commutes = call->commutes;
  run.chunk = chunk;
  run.joined = joined;
  run.starts = (const size_t (*)[CCC_RANKS + 1])starts;
  run.base[CCC_INPUT] = input;
  run.base[CCC_OUTPUT] = output;
  run.base[CCC_SCRATCH] = call->state->workspace + scratch - call->of.lower;

  if (inputs > 0 && input != from)
    if ((rc = ccc_move_shards(call, inputs, from, own[CCC_INPUT], input, starts[CCC_INPUT], own[CCC_INPUT], length)) != MPI_SUCCESS) return rc;
  if (padded && (rc = ccc_pad_shards(call, inputs, input, starts[CCC_INPUT], own[CCC_INPUT], length)) != MPI_SUCCESS) return rc;
  if ((rc = ccc_execute(&run)) != MPI_SUCCESS) {
    /* Messages that are still under way may be written there: it is left to them. */
    call->state->workspace = NULL;
    call->state->room = 0;
    return rc;
  }
  if (outputs > 0 && to != NULL && output != to)
    rc = ccc_move_shards(call, outputs, output, starts[CCC_OUTPUT], to, own[CCC_OUTPUT], own[CCC_OUTPUT], length);
  return rc;
}

/* Elements in a unit of the machine's messages. */
static size_t ccc_unit(int bytes)
{
  return bytes > 0 && CCC_UNIT % bytes == 0 ? (size_t)(CCC_UNIT / bytes) : 1;
}

/* Counts that do not divide into equal chunks run in two parts, the second with one unit in a chunk. Shards of different sizes run in one. */
static int ccc_run_call(const struct ccc_call *call)
{
  const size_t parts = ccc_parts(call->plan), unit = ccc_unit(call->bytes);
  const size_t chunk = call->elements / (parts * unit) * unit, rest = call->elements - chunk * parts;
  int rc = MPI_SUCCESS;
  if (ccc_is_told(call->state->rank))
    fprintf(stderr, "ccc: %s of %zu bytes by %s\\n", call->state->caller,
      ccc_message(call), call->plan->name);
  if (CCC_SIZED) return ccc_pass(call, 0, call->elements, chunk + (rest > 0 ? unit : 0));
  if (rest > 0 && (chunk == 0 || call->elements * (size_t)call->of.extent <= CCC_SMALL))
    return ccc_pass(call, 0, call->elements, chunk + unit);
  rc = ccc_pass(call, 0, call->elements - rest, chunk);
  if (rc == MPI_SUCCESS && rest > 0) rc = ccc_pass(call, call->elements - rest, rest, unit);
  return rc;
}

/* Every message has a number of elements that MPI can count. */
static int ccc_fits(const struct ccc_plan *plan, size_t elements)
{
  return elements > 0 && elements / ccc_parts(plan) + CCC_UNIT < (size_t)INT_MAX / (size_t)plan->most_chunks;
}

/* ---- State kept with each communicator ---- */

static int ccc_keyval = MPI_KEYVAL_INVALID;

static int ccc_forget(MPI_Comm comm, int keyval, void *value, void *extra)
{
  struct ccc_state *state = value;
  int finalized;
  (void)comm, (void)keyval, (void)extra;
  if (PMPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) PMPI_Comm_free(&state->comm);
  free(state->workspace);
  free(state);
  return MPI_SUCCESS;
}

/* A communicator of our own, made without the callbacks that copying one would run. */
static int ccc_make_private(MPI_Comm comm, struct ccc_state *state)
{
  MPI_Group group;
  int rc = PMPI_Comm_rank(comm, &state->rank);
  if (rc != MPI_SUCCESS || (rc = PMPI_Comm_group(comm, &group)) != MPI_SUCCESS) return rc;
  rc = PMPI_Comm_create(comm, group, &state->comm);
  PMPI_Group_free(&group);
  return rc != MPI_SUCCESS ? rc : PMPI_Comm_set_errhandler(state->comm, MPI_ERRORS_RETURN);
}

static int ccc_remember(MPI_Comm comm, struct ccc_state **found)
{
  struct ccc_state *state = calloc(1, sizeof *state);
  int rc = state == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
  if (rc == MPI_SUCCESS && ccc_keyval == MPI_KEYVAL_INVALID)
    rc = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ccc_forget, &ccc_keyval, NULL);
  if (rc == MPI_SUCCESS) rc = ccc_make_private(comm, state);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_set_attr(comm, ccc_keyval, state);
  if (rc == MPI_SUCCESS) *found = state;
  else free(state);
  return rc;
}

/* The state of a communicator that the plan is for; NULL for all others, and for what MPI itself should refuse. */
static int ccc_state_of(MPI_Comm comm, struct ccc_state **state)
{
  int size, inter, found = 0, rc;
  *state = NULL;
  if (comm == MPI_COMM_NULL) return MPI_SUCCESS;
  if ((rc = PMPI_Comm_size(comm, &size)) != MPI_SUCCESS || size != CCC_RANKS) return rc;
  if (ccc_keyval != MPI_KEYVAL_INVALID
    && ((rc = PMPI_Comm_get_attr(comm, ccc_keyval, state, &found)) != MPI_SUCCESS || found))
    return rc;
  *state = NULL;
  if ((rc = PMPI_Comm_test_inter(comm, &inter)) != MPI_SUCCESS || inter) return rc;
  return ccc_remember(comm, state);
}

/* Errors reach the program through the handler of its own communicator. */
static int ccc_report(MPI_Comm comm, int rc)
{
  if (rc != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, rc);
  return rc;
}
`;
