/** The plan format itself (docs/plan-format.md): what runtimes, checkers and `ccc verify` read. */
import type { Collective } from '../ir/collective.ts';
import { operationKinds, type Plan, planBuffers } from '../ir/plan.ts';
import { optimality } from '../ir/report.ts';
import type { Verification } from '../ir/verification.ts';
import type { Emitter, PlanBundle } from './emitter.ts';
import { topologyDigest } from './topology-digest.ts';

export const json = {
  name: 'json',
  about: 'the plan as JSON (format ccc-plan): what runtimes and `ccc verify` read',
  check: () => [],
  emit: planText,
} satisfies Emitter;

/** The document, one operation per line. The same plan gives the same bytes. */
function* planText(bundle: PlanBundle): Iterable<string> {
  const { plan } = bundle.proved;
  yield '{\n  "format": "ccc-plan",\n  "version": 1,\n';
  yield `  "name": ${JSON.stringify(plan.name)},\n`;
  yield `  "collective": ${JSON.stringify(collectiveBlock(plan.collective))},\n`;
  for (const [key, value] of addedBlocks(bundle)) yield `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`;
  yield `  "bulks": ${plan.bulks},\n`;
  if (plan.scratchPerBulk !== 1) yield `  "scratchPerBulk": ${plan.scratchPerBulk},\n`;
  if (plan.rounds.length > 0) yield `  "rounds": ${JSON.stringify(plan.rounds)},\n`;
  yield '  "programs": [';
  for (let rank = 0; rank < plan.buffers.length; rank++) yield* programText(plan, rank);
  yield '\n  ]\n}\n';
}

export function collectiveBlock(c: Collective): Record<string, unknown> {
  return {
    kind: c.kind,
    ranks: c.ranks,
    chunks: c.chunks,
    root: c.root,
    op: c.op,
    inPlace: c.inPlace,
    ...(c.ordered ? { ordered: true } : {}),
    ...(c.counts === undefined ? {} : { counts: c.counts }),
    ...(c.custom === undefined ? {} : { custom: c.custom }),
  };
}

/** What is added to the plan proper: where it comes from, for which machine, at which price, how it was proved. */
function addedBlocks(bundle: PlanBundle): readonly (readonly [string, unknown])[] {
  const { topology, proved } = bundle;
  const machine = topology && {
    name: topology.name,
    digest: topologyDigest(topology),
    chipMap: topology.chips,
    notes: topology.notes,
  };
  const blocks = priceBlocks(bundle, proved.verification);
  return machine === undefined ? blocks : [['topology', machine], ...blocks];
}

/** The blocks that full and compact plans have in common. */
export function priceBlocks(
  { size, dtype, cost, bound, origin }: Pick<PlanBundle, 'size' | 'dtype' | 'cost' | 'bound' | 'origin'>,
  verification: Verification,
): readonly (readonly [string, unknown])[] {
  const best = bound?.certificates[0];
  const blocks: readonly (readonly [string, unknown])[] = [
    ['size', size],
    ['dtype', dtype],
    [
      'cost',
      cost && {
        seconds: cost.seconds,
        messages: cost.messages,
        bytesMoved: cost.bytesMoved,
        bytesOnLinks: cost.bytesOnLinks,
        stretch: cost.stretch,
      },
    ],
    [
      'bound',
      bound &&
        cost && { seconds: bound.seconds, optimality: optimality(bound.seconds, cost.seconds), certificate: best },
    ],
    [
      'verification',
      {
        verdict: verification.verdict,
        inflight: verification.inflight ?? 'unbounded',
        smallestInflight: verification.smallestInflight,
        bitwise: verification.determinism?.identical,
        proved: verification.proved,
      },
    ],
    ['origin', origin],
  ];
  return blocks.filter(([, value]) => value !== undefined);
}

export function* programText(plan: Plan, rank: number): Iterable<string> {
  yield `${rank === 0 ? '' : ','}\n    { "rank": ${rank}, "buffers": ${JSON.stringify(plan.buffers[rank])}, "lanes": [`;
  const first = plan.firstLane[rank];
  for (let lane = first; lane < plan.firstLane[rank + 1]; lane++) {
    yield `${lane === first ? '' : ','}\n      { "id": ${plan.laneId[lane]}, "ops": [`;
    // Joined, not added up: a long text of many parts is kept as a tree of them, which is slow to make flat.
    let lines: string[] = [];
    let length = 0;
    for (let operation = plan.firstOp[lane]; operation < plan.firstOp[lane + 1]; operation++) {
      const line = `${operation === plan.firstOp[lane] ? '' : ','}\n        ${operationText(plan, operation, first)}`;
      lines.push(line);
      length += line.length;
      if (length <= 65_536) continue;
      yield lines.join('');
      lines = [];
      length = 0;
    }
    yield `${lines.join('')} ] }`;
  }
  yield ' ] }';
}

function operationText(plan: Plan, operation: number, firstLane: number): string {
  const { ops } = plan;
  const kind = operationKinds[ops.kind[operation]];
  let text = `{ "op": "${kind}"`;
  if (ops.peer[operation] >= 0) text += `, "peer": ${ops.peer[operation]}, "channel": ${ops.channel[operation]}`;
  const src = ops.srcBuffer[operation];
  if (src >= 0) text += `, "src": ["${planBuffers[src]}", ${ops.srcOffset[operation]}, ${ops.srcCount[operation]}]`;
  const dst = ops.dstBuffer[operation];
  if (dst >= 0) text += `, "dst": ["${planBuffers[dst]}", ${ops.dstOffset[operation]}, ${ops.dstCount[operation]}]`;
  if (ops.receivedFirst[operation] === 1) text += ', "order": "received-first"';
  text += `, "step": ${ops.step[operation]}`;
  if (ops.firstAfter[operation] < ops.firstAfter[operation + 1]) {
    const after: string[] = [];
    for (let a = ops.firstAfter[operation]; a < ops.firstAfter[operation + 1]; a++) {
      after.push(dependencyText(plan, ops.afterOp[a], ops.afterBulks[a], firstLane));
    }
    text += `, "after": [${after.join(', ')}]`;
  }
  return `${text} }`;
}

/** `[lane id, index]` or `[lane id, index, bulks]`; the lane is one of the same rank, at or behind `firstLane`. */
function dependencyText(plan: Plan, operation: number, bulks: number, firstLane: number): string {
  let lane = firstLane;
  while (plan.firstOp[lane + 1] <= operation) lane++;
  const index = operation - plan.firstOp[lane];
  return `[${plan.laneId[lane]}, ${index}${bulks === 0 ? '' : `, ${bulks}`}]`;
}
