/** Shards of different sizes in C: their lengths, and whether a plan can use their chunks without padding. */
import { type Collective, shardOf } from '../../ir/collective.ts';
import { OperationCode, operationCount, type Plan, rankOfLane } from '../../ir/plan.ts';
import { messageBytes } from '../../ir/shards.ts';

/** C functions for the elements of a shard of one rank, and for the bytes of the whole message. */
export function shardLengthsText({ kind, ranks, counts }: Collective): string {
  if (counts === undefined) {
    return `static size_t ccc_shard(const struct ccc_call *call, int buffer, int shard)
{
  (void)buffer, (void)shard;
  return call->elements;
}

static size_t ccc_message(const struct ccc_call *call)
{
  return call->elements * (size_t)call->bytes * CCC_SHARDS;
}
`;
  }
  const ofPair = `  return ccc_counts[buffer == CCC_INPUT ? call->rank * CCC_RANKS + shard : shard * CCC_RANKS + call->rank] / (size_t)call->bytes;`;
  const ofRank = `  const struct ccc_program *p = &call->plan->programs[call->rank];
  const int shards = (buffer == CCC_INPUT ? p->input : p->output) / call->plan->chunks;
  return ccc_counts[shards == CCC_RANKS ? shard : call->rank] / (size_t)call->bytes;`;
  return `/* Bytes of each shard${kind === 'alltoall' ? ', those that rank 0 sends first' : ''}. */
static const size_t ccc_counts[] = { ${counts.map((bytes) => `${bytes}u`).join(', ')} };

static size_t ccc_shard(const struct ccc_call *call, int buffer, int shard)
{
${kind === 'alltoall' ? ofPair : ofRank}
}

/* Bytes of the longest of them. */
static size_t ccc_longest(void)
{
  return ${counts.reduce((most, bytes) => Math.max(most, bytes), 0)}u;
}

static size_t ccc_message(const struct ccc_call *call)
{
  (void)call;
  return ${messageBytes(kind, ranks, counts)}u;
}
`;
}

/**
 * Whether chunks of shards of different sizes can keep their lengths: nothing is stored in scratch, whose slots have equal lengths, and every chunk
 * moves to a chunk with the same number in a shard of the same size. Otherwise all chunks are padded to the length of the longest.
 */
export function keepsLengths(plan: Plan): boolean {
  if (plan.collective.counts === undefined || plan.buffers.some(({ scratch }) => scratch > 0)) return false;
  const { ops } = plan;
  const messages = new Map<string, string[]>();
  let keeps = true;
  const rankOf = ranksOf(plan);
  for (let o = 0; o < operationCount(plan); o++) {
    const rank = rankOf[o];
    const [from, to] = [sourceLengths(plan, rank, o), targetLengths(plan, rank, o)];
    if (ops.peer[o] < 0) {
      keeps &&= from === to;
      continue;
    }
    const isSend = ops.kind[o] === OperationCode.send;
    const ends = isSend ? [rank, ops.peer[o]] : [ops.peer[o], rank];
    const key = `${ends.join()} ${ops.channel[o]} ${isSend}`;
    const lengths = messages.get(key) ?? [];
    lengths.push(isSend ? from : to);
    messages.set(key, lengths);
  }
  for (const [key, lengths] of messages) {
    if (key.endsWith('true')) keeps &&= lengths.join(';') === messages.get(key.replace(/true$/, 'false'))?.join(';');
  }
  return keeps;
}

function ranksOf(plan: Plan): Int32Array {
  const ranks = new Int32Array(operationCount(plan));
  for (let lane = 0; lane < plan.laneId.length; lane++)
    ranks.fill(rankOfLane(plan, lane), plan.firstOp[lane], plan.firstOp[lane + 1]);
  return ranks;
}

function sourceLengths(plan: Plan, rank: number, o: number): string {
  const { srcBuffer, srcOffset, srcCount } = plan.ops;
  return lengthsOf(plan, rank, srcBuffer[o], srcOffset[o], srcCount[o]);
}

function targetLengths(plan: Plan, rank: number, o: number): string {
  const { dstBuffer, dstOffset, dstCount } = plan.ops;
  return lengthsOf(plan, rank, dstBuffer[o], dstOffset[o], dstCount[o]);
}

/** The shard's bytes and the chunk's number within the shard, for each slot of a slice, as a text to compare. */
function lengthsOf({ collective }: Plan, rank: number, buffer: number, first: number, count: number): string {
  const { chunks, counts = [] } = collective;
  return Array.from({ length: count }, (_, i) => {
    const slot = first + i;
    return `${counts[shardOf(collective, buffer === 0 ? 'input' : 'output', rank, slot)]}:${slot % chunks}`;
  }).join();
}
