/** C code for collectives that only move data. It moves bytes, so that the ranks may describe them by different types. */
export const movingText = `/* ---- Moving data: what has gaps is packed ---- */

/* One side of a call: shards of count elements of a type, one behind the other. */
struct ccc_side {
  char *at; /* NULL where this rank has none */
  int count;
  MPI_Datatype type;
  int shards;
  const int *places; /* in elements, where each shard begins; NULL: one behind the other */
  const int *counts; /* of each shard; NULL: count */
};

static int ccc_count(const struct ccc_side *side, int shard)
{
  return side->counts == NULL ? side->count : side->counts[shard];
}

/* The element at which a shard begins. */
static MPI_Aint ccc_place_of(const struct ccc_side *side, int shard)
{
  MPI_Aint place = 0;
  int i;
  if (side->places != NULL) return side->places[shard];
  if (side->counts == NULL) return (MPI_Aint)shard * side->count;
  for (i = 0; i < shard; i++) place += side->counts[i];
  return place;
}

/* All shards have whole eights of bytes. */
static int ccc_in_eights(size_t bytes)
{
  return CCC_EIGHTS && bytes % 8 == 0;
}

static int ccc_fits_bytes(size_t bytes)
{
  return ccc_fits(ccc_plan_for(bytes), ccc_in_eights(bytes) ? bytes / 8 : bytes);
}

/* Packs a side into bytes, or unpacks it, as many elements at a time as fit the sizes of MPI_Pack. */
static int ccc_repack(const struct ccc_state *state, const struct ccc_side *side, const struct ccc_elements *of, char *bytes, int pack)
{
  int size, shard, rc = PMPI_Type_size(side->type, &size);
  if (rc != MPI_SUCCESS || size == 0) return rc;
  for (shard = 0; shard < side->shards; shard++) {
    const int elements = ccc_count(side, shard);
    const MPI_Aint place = ccc_place_of(side, shard);
    int first, count, most = INT_MAX / 2 / size + 1;
    for (first = 0; first < elements; first += count) {
      char *at = side->at + (place + first) * of->extent;
      int position = 0;
      count = elements - first < most ? elements - first : most;
      rc = pack ? PMPI_Pack(at, count, side->type, bytes, count * size, &position, state->comm)
                : PMPI_Unpack(bytes, count * size, &position, at, count, side->type, state->comm);
      if (rc != MPI_SUCCESS) return rc;
      bytes += (size_t)count * (size_t)size;
    }
  }
  return MPI_SUCCESS;
}

/* Room for all shards of a side, packed. */
static char *ccc_room_for(const struct ccc_side *side)
{
  size_t elements = 0;
  int size, shard;
  for (shard = 0; shard < side->shards; shard++) elements += (size_t)ccc_count(side, shard);
  return PMPI_Type_size(side->type, &size) == MPI_SUCCESS ? malloc(elements * (size_t)size + 1) : NULL;
}

/* Runs the plan over bytes; in eights where the sizes of shards, which all ranks know, allow. */
static int ccc_move_data(struct ccc_state *state, int shift, struct ccc_side from, struct ccc_side to, int in_place, size_t bytes)
{
  const int eights = ccc_in_eights(bytes);
  struct ccc_call call = { 0 };
  struct ccc_elements source = { 0 }, target = { 0 };
  char *packed_from = NULL, *packed_to = NULL;
  int rc = MPI_SUCCESS;
  call.state = state;
  call.plan = ccc_plan_for(bytes);
  call.shift = shift;
  call.rank = (state->rank + CCC_RANKS - shift) % CCC_RANKS;
  call.bytes = eights ? 8 : 1;
  call.op = MPI_BOR; /* nothing but the tokens of a barrier is combined here, and bytes have this operator */
  call.commutes = 1;
  call.elements = eights ? bytes / 8 : bytes;
  call.from = from.at;
  call.to = to.at;
  call.in_place = in_place;
  if ((rc = ccc_describe(eights ? MPI_UINT64_T : MPI_BYTE, &call.of)) != MPI_SUCCESS) return rc;
  if (from.at != NULL && (rc = ccc_describe(from.type, &source)) != MPI_SUCCESS) return rc;
  if (to.at != NULL && (rc = ccc_describe(to.type, &target)) != MPI_SUCCESS) return rc;
  if (from.at != NULL && (!source.plain || from.places != NULL)) {
    call.from = packed_from = ccc_room_for(&from);
    call.in_place = 0;
    rc = packed_from == NULL ? MPI_ERR_NO_MEM : ccc_repack(state, &from, &source, packed_from, 1);
  }
  if (rc == MPI_SUCCESS && to.at != NULL && (!target.plain || to.places != NULL)) {
    call.to = packed_to = ccc_room_for(&to);
    call.in_place = 0;
    rc = packed_to == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
  }
  if (rc == MPI_SUCCESS) rc = ccc_run_call(&call);
  if (rc == MPI_SUCCESS && packed_to != NULL) rc = ccc_repack(state, &to, &target, packed_to, 0);
  free(packed_from);
  free(packed_to);
  return rc;
}
`;

/** C code for functions with one count for all shards. */
export const shardBytesText = `/* Bytes of a shard, as all ranks know them; 0 for what MPI itself should refuse. */
static size_t ccc_bytes(const struct ccc_side *side)
{
  int size = 0;
  if (side->count < 0 || side->type == MPI_DATATYPE_NULL) return 0;
  return PMPI_Type_size(side->type, &size) == MPI_SUCCESS ? (size_t)side->count * (size_t)size : 0;
}

`;

/** C code that locates a shard, for functions that need it. */
export const shardAddressText = `static char *ccc_shard_at(const struct ccc_side *side, int shard)
{
  MPI_Aint lower, extent;
  if (PMPI_Type_get_extent(side->type, &lower, &extent) != MPI_SUCCESS) return side->at;
  return side->at + ccc_place_of(side, shard) * extent;
}

`;

/** C code for functions with a count for each rank: if all counts are equal, a plan may serve the call. */
export const equalCountsText = `/* All counts are the same, so that every rank decides alike: MPI wants the same counts everywhere. */
static int ccc_all_equal(const int *counts)
{
  int i;
  for (i = 1; counts != NULL && i < CCC_RANKS; i++)
    if (counts[i] != counts[0]) return 0;
  return counts != NULL;
}

`;

/** C code for functions that specify the displacement of each shard. */
export const placesText = `/* Shards that lie one behind the other need no places. */
static void ccc_place(struct ccc_side *side, const int *places)
{
  MPI_Aint lower, extent, start = 0, before = 0;
  int i;
  side->places = places;
  for (i = 0; i < side->shards; i++) {
    if (ccc_count(side, i) == 0) continue;
    if (before == 0) start = places[i];
    if ((MPI_Aint)places[i] != start + before) return;
    before += ccc_count(side, i);
  }
  if (PMPI_Type_get_extent(side->type, &lower, &extent) != MPI_SUCCESS) return;
  side->at += start * extent;
  side->places = NULL;
}

`;

/** C code for functions with a count for each rank, for plans that are made for certain counts. */
export const matchingText = `/* Whether counts of a type are the plan's: so many of them, each so many shards behind the one before. */
static int ccc_matches(const int *counts, MPI_Datatype type, int first, int step, int shards)
{
  int i, size = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS || size == 0) return 0;
  for (i = 0; i < shards; i++)
    if (counts[i] < 0 || (size_t)counts[i] * (size_t)size != ccc_counts[first + i * step]) return 0;
  return 1;
}

`;

/** C code for those of these functions in which a rank knows only its own counts. */
export const agreeingText = `/* What one rank alone sees to be right is done if all of them see it so. */
static int ccc_all_agree(const struct ccc_state *state, int mine)
{
  int all = 0;
  return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, state->comm) == MPI_SUCCESS && all;
}

`;

/** C code for collectives that reduce. */
export const reducingText = `/* ---- Reducing: elements of the caller's type ---- */

/* The plan gives the right result for this operator, and MPI has no objection to the call that we can see. */
static int ccc_allows(int count, MPI_Datatype type, MPI_Op op, int *commutes)
{
  int size;
  if (count <= 0 || type == MPI_DATATYPE_NULL || op == MPI_OP_NULL) return 0;
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
  if (!ccc_fits(ccc_plan_for((size_t)count * (size_t)size), (size_t)count)) return 0;
  if (PMPI_Op_commutative(op, commutes) != MPI_SUCCESS || !(*commutes || CCC_KEEPS_ORDER)) return 0;
  return !CCC_COUNTS_TWICE || op == MPI_MAX || op == MPI_MIN || op == MPI_BAND || op == MPI_BOR || op == MPI_LAND || op == MPI_LOR || op == MPI_MINLOC || op == MPI_MAXLOC;
}

static int ccc_reduce_data(struct ccc_state *state, int shift, const void *from, void *to, int in_place, int may_spoil,
  int count, MPI_Datatype type, MPI_Op op, int commutes)
{
  struct ccc_call call = { 0 };
  int rc;
  call.state = state;
  call.shift = shift;
  call.rank = (state->rank + CCC_RANKS - shift) % CCC_RANKS;
  call.op = op;
  call.from = (char *)(uintptr_t)from;
  call.to = to;
  call.in_place = in_place;
  call.may_spoil = may_spoil;
  call.elements = (size_t)count;
  call.commutes = commutes;
  if ((rc = ccc_describe(type, &call.of)) != MPI_SUCCESS) return rc;
  if ((rc = PMPI_Type_size(type, &call.bytes)) != MPI_SUCCESS) return rc;
  call.plan = ccc_plan_for((size_t)count * (size_t)call.bytes);
  return ccc_run_call(&call);
}
`;
