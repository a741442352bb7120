/**
 * Checks the limits on commands that a machine's topology file states (docs/verification.md): lengths and addresses are multiples of a unit, shapes
 * and strides fit the fields of a command, the reduce engines have the operator, and messages and reductions use only the memory that links reach.
 */
import { chunksPerShard, messageChunks } from '../../ir/collective.ts';
import { type Dtype, dtypeBytes } from '../../ir/dtype.ts';
import { isReceive, isReduction, isSend, type Plan, planBuffers } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';
import { shardBytes } from '../../ir/shards.ts';
import type { MessageLimits, Topology } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { CheckFindings, storyLineOf } from '../explain/findings.ts';

/** The message that a plan will move, and the machine on which it will run. */
export interface MovedBytes {
  readonly topology: Topology;
  /** M. */
  readonly size: Bytes;
  readonly dtype?: Dtype | undefined;
}

const scratch = planBuffers.indexOf('scratch');

/** Finds the operations that exceed a limit of the machine. Machines that state no limits have no findings. */
export function checkLimits(plan: Plan, { topology, size, dtype }: MovedBytes): CheckFindings {
  const findings = new CheckFindings('over-capacity');
  const index = new PlanIndex(plan);
  checkOperators(index, topology, dtype, findings);
  if (topology.staging !== undefined) checkPlaces(index, findings);
  const { messages } = topology;
  if (messages === undefined) return findings;
  checkUnits(plan, size, messages, findings);
  checkShapes(index, size, messages, dtype, findings);
  checkSignals(index, messages, findings);
  return findings;
}

export function limitsText({ topology: { name, messages }, dtype }: MovedBytes): string {
  if (messages === undefined) return `limits: ${name} has the engines and the memory for it`;
  const inType = dtype === undefined ? '' : ` in ${dtype}`;
  return `limits: every address and length is a multiple of ${messages.alignment} bytes${inType}, and all fits the commands of ${name}`;
}

/**
 * Checks alignment. Chunks within a shard are cut at multiples of the unit (docs/plan-format.md). So all addresses and lengths are multiples of it,
 * and no chunk is empty, exactly if each shard is a multiple and has at least one unit for each chunk in every bulk.
 */
function checkUnits(
  { collective, bulks }: Plan,
  size: Bytes,
  { alignment }: MessageLimits,
  findings: CheckFindings,
): void {
  const chunks = chunksPerShard(collective);
  const parts = chunks * bulks;
  const shards =
    collective.counts === undefined ? [size / (messageChunks(collective) / chunks)] : shardBytes(collective, size);
  shards.forEach((bytes, shard) => {
    if (bytes === 0 || (bytes % alignment === 0 && bytes >= parts * alignment)) return;
    const which = collective.counts === undefined ? 'A shard' : `Shard ${shard}`;
    const wanted = `${chunks === 1 ? 'its chunk' : `each of its ${chunks} chunks`} ${bulks === 1 ? '' : `in each of ${bulks} bulks `}`;
    findings.add(() => {
      return {
        message: `${which} has ${bytes} bytes; ${wanted}must be one or more whole units of ${alignment} bytes.`,
      };
    });
  });
}

/** Checks shapes. A message that spans several shards is a two-dimensional shape: one row per shard, with the size of a shard as its stride. */
function checkShapes(
  index: PlanIndex,
  size: Bytes,
  { dimensions, stride }: MessageLimits,
  dtype: Dtype | undefined,
  findings: CheckFindings,
): void {
  const { plan } = index;
  const { collective, ops } = plan;
  const elementBytes = dtype === undefined ? 1 : dtypeBytes[dtype];
  const shards = messageChunks(collective) / collective.chunks;
  const shard = (collective.counts ?? [size / shards]).reduce((most, bytes) => Math.max(most, bytes), 0) / elementBytes;
  const [mostRows, , , widest] = dimensions;
  for (let o = 0; o < ops.kind.length; o++) {
    const rows = Math.min(shards, Math.ceil(Math.max(ops.srcCount[o], ops.dstCount[o]) / collective.chunks) + 1);
    if (rows <= mostRows && shard <= Math.min(widest, stride)) continue;
    const has = `up to ${rows} rows of ${shard} elements`;
    const message = `A shape has ${has}; ${mostRows} rows of ${Math.min(widest, stride)} fit its fields.`;
    findings.add(() => ({ message, story: [storyLineOf(index, o)] }));
  }
}

/**
 * Checks signals. An operation sends one signal to each operation that waits for it, and waits for one signal of each operation that it waits for.
 */
function checkSignals(index: PlanIndex, { ids, counts }: MessageLimits, findings: CheckFindings): void {
  const { firstAfter, afterOp, kind } = index.plan.ops;
  const waiting = new Int32Array(kind.length);
  for (const awaited of afterOp) waiting[awaited]++;
  for (let o = 0; o < kind.length; o++) {
    const waits = firstAfter[o + 1] - firstAfter[o];
    const most = Math.max(waits, waiting[o]);
    if (most > counts || waits > ids) {
      const message = `${most} signals meet in one command; a number counts ${counts}, and there are ${ids}.`;
      findings.add(() => ({ message, story: [storyLineOf(index, o)] }));
    }
  }
}

function checkOperators(index: PlanIndex, topology: Topology, dtype: Dtype | undefined, findings: CheckFindings): void {
  const { plan, rankOf } = index;
  const { op } = plan.collective;
  if (dtype === undefined) return;
  for (let o = 0; o < rankOf.length; o++) {
    if (!isReduction(plan, o)) continue;
    const { reduce, name } = topology.nodes[topology.chips[rankOf[o]]];
    if (reduce?.operators === undefined || reduce.operators[op]?.includes(dtype) === true) continue;
    findings.add(() => {
      return { message: `The reduce engine of ${name} has no ${op} of ${dtype}.`, story: [storyLineOf(index, o)] };
    });
  }
}

/** Checks that messages and reductions use scratch only, since links reach no other memory. */
function checkPlaces(index: PlanIndex, findings: CheckFindings): void {
  const { plan } = index;
  const { srcBuffer, dstBuffer } = plan.ops;
  for (let o = 0; o < index.rankOf.length; o++) {
    const isOutside =
      (isSend(plan, o) && srcBuffer[o] !== scratch) ||
      ((isReceive(plan, o) || isReduction(plan, o)) && dstBuffer[o] !== scratch) ||
      (isReduction(plan, o) && !isReceive(plan, o) && srcBuffer[o] !== scratch);
    if (!isOutside) continue;
    const message = 'Links and reductions reach the fast memory alone, which is the scratch of a plan.';
    findings.add(() => ({ message, story: [storyLineOf(index, o)] }));
  }
}
