/** Writes the plan format (docs/plan-format.md), which runtimes, checkers and `ccc verify` read. */
import type { Claim } from '../ir/certificate.ts';
import type { Collective } from '../ir/collective.ts';
import { jsonText } from '../ir/plain-text.ts';
import { operationKinds, type Plan, planBuffers } from '../ir/plan.ts';
import { type Bound, optimality } from '../ir/report.ts';
import type { Verification } from '../ir/verification.ts';
import { type AsciiPart, AsciiText, asciiOf } from './ascii-text.ts';
import { resultsText } from './custom-results.ts';
import { type Emitter, type OpenBundle, opened, type PlanBundle } from './emitter.ts';
import { topologyDigest } from './topology-digest.ts';

export const json = {
  name: 'json',
  about: 'the plan as JSON (format ccc-plan): what runtimes and `ccc verify` read',
  check: () => [],
  emit: planText,
} satisfies Emitter;

/** The document, with one operation per line. Equal plans give equal bytes. */
function planText(bundle: PlanBundle): Iterable<string> {
  const open = opened(bundle);
  return documentText(open.plan, addedBlocks(open));
}

/** A plan without any claim about it, for error reports and pages. */
export function unprovedText(plan: Plan): Iterable<string> {
  return documentText(plan, []);
}

function* documentText(plan: Plan, blocks: readonly (readonly [string, unknown])[]): Iterable<string> {
  yield '{\n  "format": "ccc-plan",\n  "version": 1,\n';
  yield `  "name": ${jsonText(plan.name)},\n`;
  yield* collectiveText(plan.collective);
  for (const [key, value] of blocks) yield `  ${JSON.stringify(key)}: ${jsonText(value)},\n`;
  yield `  "bulks": ${plan.bulks},\n`;
  if (plan.scratchPerBulk !== 1) yield `  "scratchPerBulk": ${plan.scratchPerBulk},\n`;
  if (plan.inTurn === true) yield '  "inTurn": true,\n';
  if (plan.rounds.length > 0) yield `  "rounds": ${JSON.stringify(plan.rounds)},\n`;
  yield '  "programs": [';
  for (let rank = 0; rank < plan.buffers.length; rank++) yield* programText(plan, rank);
  yield '\n  ]\n}\n';
}

/** The block of the collective, in pieces, since a condition may exceed the maximum length of a string. */
function* collectiveText(collective: Collective): Iterable<string> {
  const { custom } = collective;
  const block = JSON.stringify(collectiveBlock(collective));
  if (custom === undefined) return yield `  "collective": ${block},\n`;
  const { input, output, inputAt, results } = custom;
  yield `  "collective": ${block.slice(0, -1)},"custom":${JSON.stringify({ input, output }).slice(0, -1)}`;
  yield ',"results":';
  yield* resultsText(results);
  if (inputAt !== undefined) yield `,"inputAt":${JSON.stringify(inputAt)}`;
  yield '}},\n';
}

/** The collective without its condition, if it has one. */
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
  };
}

/** The blocks besides the plan proper: its origin, machine, cost and proof. */
function addedBlocks(bundle: OpenBundle): readonly (readonly [string, unknown])[] {
  const { topology, limits, verification } = bundle;
  const machine = topology && {
    name: topology.name,
    digest: topologyDigest(topology),
    chipMap: topology.chips,
    notes: topology.notes,
  };
  const { protocol } = topology ?? {};
  const { instances } = bundle.origin ?? { instances: undefined };
  return [
    ...(machine === undefined ? [] : ([['topology', machine]] as const)),
    ...(protocol === undefined ? [] : ([['protocol', protocol]] as const)),
    ...(instances === undefined ? [] : ([['instances', instances]] as const)),
    ...(limits === undefined ? [] : ([['limits', { alignment: limits.alignment, messageIds: limits.ids }]] as const)),
    ...timeAndBoundBlocks(bundle, verification),
  ];
}

/** The parts of a bundle that concern its cost. */
interface PricedBundle extends Pick<PlanBundle, 'size' | 'dtype' | 'cost' | 'origin'> {
  readonly bound: Bound<Claim> | undefined;
}

/** The blocks of cost and bound that full and compact plans have in common. */
export function timeAndBoundBlocks(
  { size, dtype, cost, bound, origin }: PricedBundle,
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
        checkedBy: verification.checkedBy,
      },
    ],
    ['origin', origin],
  ];
  return blocks.filter(([, value]) => value !== undefined);
}

export function* programText(plan: Plan, rank: number): Iterable<string> {
  yield `${rank === 0 ? '' : ','}\n    { "rank": ${rank}, "buffers": ${JSON.stringify(plan.buffers[rank])}, "lanes": [`;
  const first = plan.firstLane[rank];
  const text = new AsciiText();
  for (let lane = first; lane < plan.firstLane[rank + 1]; lane++) {
    yield `${lane === first ? '' : ','}\n      { "id": ${plan.laneId[lane]}, "ops": [`;
    for (let operation = plan.firstOp[lane]; operation < plan.firstOp[lane + 1]; operation++) {
      if (operation > plan.firstOp[lane]) text.add(parts.comma);
      addOperation(text, plan, operation, first);
      if (text.length > 65_536) yield text.take();
    }
    yield `${text.take()} ] }`;
  }
  yield ' ] }';
}

const parts = {
  opening: operationKinds.map((kind) => asciiOf(`\n        { "op": "${kind}"`)),
  peer: asciiOf(', "peer": '),
  channel: asciiOf(', "channel": '),
  src: planBuffers.map((buffer) => asciiOf(`, "src": ["${buffer}", `)),
  dst: planBuffers.map((buffer) => asciiOf(`, "dst": ["${buffer}", `)),
  order: asciiOf(', "order": "received-first"'),
  nanoseconds: asciiOf(', "nanoseconds": '),
  step: asciiOf(', "step": '),
  after: asciiOf(', "after": ['),
  end: asciiOf(' }'),
  open: asciiOf('['),
  comma: asciiOf(','),
  commaSpace: asciiOf(', '),
  close: asciiOf(']'),
};

function addOperation(text: AsciiText, plan: Plan, operation: number, firstLane: number): void {
  const { ops } = plan;
  text.add(parts.opening[ops.kind[operation]]);
  if (ops.peer[operation] >= 0) {
    text.add(parts.peer);
    text.addNumber(ops.peer[operation]);
    text.add(parts.channel);
    text.addNumber(ops.channel[operation]);
  }
  if (ops.srcBuffer[operation] >= 0) {
    addSlice(text, parts.src[ops.srcBuffer[operation]], ops.srcOffset[operation], ops.srcCount[operation]);
  }
  if (ops.dstBuffer[operation] >= 0) {
    addSlice(text, parts.dst[ops.dstBuffer[operation]], ops.dstOffset[operation], ops.dstCount[operation]);
  }
  if (ops.receivedFirst[operation] === 1) text.add(parts.order);
  if (ops.nanoseconds !== undefined && ops.nanoseconds[operation] >= 0) {
    text.add(parts.nanoseconds);
    text.addNumber(ops.nanoseconds[operation]);
  }
  text.add(parts.step);
  text.addNumber(ops.step[operation]);
  if (ops.firstAfter[operation] < ops.firstAfter[operation + 1]) addWaits(text, plan, operation, firstLane);
  text.add(parts.end);
}

function addSlice(text: AsciiText, name: AsciiPart, offset: number, count: number): void {
  text.add(name);
  text.addNumber(offset);
  text.add(parts.commaSpace);
  text.addNumber(count);
  text.add(parts.close);
}

/** Writes each wait as `[lane id, index]` or `[lane id, index, bulks]`. The lane belongs to the same rank, whose first lane is `firstLane`. */
function addWaits(text: AsciiText, { ops, firstOp, laneId }: Plan, operation: number, firstLane: number): void {
  text.add(parts.after);
  for (let a = ops.firstAfter[operation]; a < ops.firstAfter[operation + 1]; a++) {
    const awaited = ops.afterOp[a];
    let lane = firstLane;
    while (firstOp[lane + 1] <= awaited) lane++;
    if (a > ops.firstAfter[operation]) text.add(parts.commaSpace);
    text.add(parts.open);
    text.addNumber(laneId[lane]);
    text.add(parts.commaSpace);
    text.addNumber(awaited - firstOp[lane]);
    if (ops.afterBulks[a] > 0) {
      text.add(parts.commaSpace);
      text.addNumber(ops.afterBulks[a]);
    }
    text.add(parts.close);
  }
  text.add(parts.close);
}
