/** Checks that a compact plan is well formed, beyond what is required of a full plan. */
import { inputChunks, outputChunks } from '../../ir/collective.ts';
import { type CompactPlan, compactKinds, shiftedShard } from '../../ir/compact.ts';
import { isReceive, isSend, planBuffers } from '../../ir/plan.ts';
import type { PlanIndex } from '../../ir/plan-index.ts';
import { maxBulks } from '../../verify/checks/well-formed.ts';
import { CheckFindings, describeOperation, nameOf, storyLineOf } from '../../verify/explain/findings.ts';
import { compactVerifyLimits } from './limits.ts';

function isCount(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

/** Checks collective, shape, bulks and buffers. @param machineShape extents of the machine's axes, if the plan is verified for a machine */
export function checkCompactFrame(plan: CompactPlan, machineShape: readonly number[] | undefined): CheckFindings {
  const findings = new CheckFindings('malformed');
  const expect = (holds: boolean, message: () => string): void => {
    if (!holds) findings.add(() => ({ message: message() }));
  };
  const { collective, shape, bulks, scratchPerBulk, buffers } = plan;
  const { kind, ranks, chunks } = collective;
  expect(isCount(ranks, 1), () => `A collective has at least one rank, not ${ranks}.`);
  expect(isCount(chunks, 1), () => `A shard has at least one chunk, not ${chunks}.`);
  expect(compactKinds.includes(kind), () => `A compact plan is for ${compactKinds.join(', ')}, not for ${kind}.`);
  expect(collective.counts === undefined, () => 'In a compact plan all shards have the same size.');
  expect(
    !collective.ordered,
    () => 'Shifted programs cannot all keep rank order: a compact plan needs a commutative operator.',
  );
  expect(
    shape.length <= compactVerifyLimits.axes,
    () => `A shape has at most ${compactVerifyLimits.axes} axes, not ${shape.length}.`,
  );
  const places = shape.reduce((product, extent) => product * extent, 1);
  const sound = shape.every((extent) => isCount(extent, 1)) && places === ranks;
  expect(sound, () => `The shape ${shape.join('x')} does not have one place for each of the ${ranks} ranks.`);
  const evenly = !plan.sharded || (kind === 'allreduce' && chunks % ranks === 0);
  expect(evenly, () => `Sharded buffers are those of an allreduce whose chunks are a multiple of its ${ranks} ranks.`);
  expect(isCount(bulks, 1) && bulks <= maxBulks, () => `bulks must be from 1 to ${maxBulks}, not ${bulks}.`);
  expect(isCount(scratchPerBulk, 1), () => `scratchPerBulk must be at least 1, not ${scratchPerBulk}.`);
  if (!findings.none) return findings;
  for (const [buffer, wanted] of [
    ['input', inputChunks(collective, 0)],
    ['output', outputChunks(collective, 0)],
  ] as const) {
    const size = `${kind} of ${ranks} ranks with ${chunks} chunks per shard needs ${wanted}`;
    expect(buffers[buffer] === wanted, () => `Ranks declare ${buffers[buffer]} chunks of ${buffer}; ${size}.`);
  }
  expect(isCount(buffers.scratch, 0), () => `Ranks declare ${buffers.scratch} chunks of scratch.`);
  const matches = machineShape === undefined || machineShape.join('x') === shape.join('x');
  expect(matches, () => `The plan is for the shape ${shape.join('x')}; the machine's is ${machineShape?.join('x')}.`);
  return findings;
}

/** Checks that no slice of a buffer whose shards are shifted crosses the border of a shard: after a shift its two parts might not be contiguous. */
export function checkShards(index: PlanIndex, compact: CompactPlan): CheckFindings {
  const findings = new CheckFindings('malformed');
  const { plan } = index;
  const { ops } = plan;
  const shards = planBuffers.map((buffer) => shiftedShard(compact, buffer));
  const torn = (code: number, offset: number, count: number): boolean => {
    const chunks = shards[code];
    return chunks !== undefined && Math.floor(offset / chunks) !== Math.floor((offset + count - 1) / chunks);
  };
  for (let o = 0; o < ops.kind.length; o++) {
    const source = !isReceive(plan, o) && torn(ops.srcBuffer[o], ops.srcOffset[o], ops.srcCount[o]);
    const target = !isSend(plan, o) && torn(ops.dstBuffer[o], ops.dstOffset[o], ops.dstCount[o]);
    if (!source && !target) continue;
    findings.add(() => ({
      message: `${nameOf(index, o)} (${describeOperation(plan, o)}): a slice of a compact plan stays within one shard.`,
      story: [storyLineOf(index, o)],
    }));
  }
  return findings;
}
