/** Makes the data that a page shows from a plan and its verdict. */
import type { Claim } from '../ir/certificate.ts';
import { collectiveFacts } from '../ir/collective.ts';
import { OperationCode, operationCount, type Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import { type Bound, contradictedClaims } from '../ir/report.ts';
import type { Topology } from '../ir/topology.ts';
import { type Bytes, formatBytesPerSecond, formatSeconds, type Seconds } from '../ir/units.ts';
import type { Finding, Verification } from '../ir/verification.ts';
import { marksOf } from './certificate-marks.ts';
import { floatColumn, intColumn } from './columns.ts';
import { viewLimits } from './limits.ts';
import { bendsOf } from './machine/bends.ts';
import { layOutMachine } from './machine/layout.ts';
import type { MeasuredRun } from './measured.ts';
import type { PageBound, PageFinding, PageMachine, PageMeasured, PageOperations, PagePlan } from './page-document.ts';
import { sourcePlaces } from './places.ts';
import { timelineRowsOf } from './rows.ts';
import { type TimedRun, timedRun } from './timed-run.ts';
import { linkUseOf, stepsOf } from './use.ts';

/** A plan with everything that a page can show of it. */
export interface ViewSubject {
  readonly plan: Plan;
  readonly verification: Verification;
  /** If undefined, the page draws ranks and the pairs of ranks that exchange messages. */
  readonly topology: Topology | undefined;
  /** M in bytes. */
  readonly size: Bytes;
  readonly bound: (Bound & { readonly stated: readonly Claimed[] }) | undefined;
  readonly notes: readonly string[];
  /** A measured run, drawn beside the simulated one. */
  readonly measured?: MeasuredRun | undefined;
}

interface Claimed {
  readonly kind: string;
  readonly seconds: Seconds;
  readonly reason: string;
}

/** Limits on the nodes and links of machines that are drawn. */
const largest = { nodes: 1200, links: 8000 } as const;

export function pagePlan(subject: ViewSubject): PagePlan {
  const { plan, verification, size, notes, measured } = subject;
  const run = timedRun(plan, verification.verdict, subject.topology, size);
  const { topology, timeline, duration } = run;
  const { collective } = plan;
  const { sources, source, line } = sourcePlaces(plan);
  const operations = operationCount(plan);
  return {
    name: plan.name,
    collective: {
      kind: collective.kind,
      ranks: collective.ranks,
      chunks: collective.chunks,
      root: collectiveFacts[collective.kind].rooted ? collective.root : undefined,
      op: collectiveFacts[collective.kind].reduces ? collective.op : undefined,
      inPlace: collective.inPlace,
    },
    bulks: plan.bulks,
    size: run.clock === 'seconds' ? size : undefined,
    messages: plan.ops.kind.reduce((sum, kind) => sum + (kind === OperationCode.send ? plan.bulks : 0), 0),
    clock: run.clock,
    clockReason: run.clockReason,
    duration,
    machine: machineOf(run),
    verdict: {
      verdict: verification.verdict,
      checkedBy: verification.checkedBy,
      proved: verification.proved,
      findings: verification.findings.map((finding) => findingOf(finding, plan)),
    },
    bound: boundOf(subject, run),
    operations: operationColumns(plan, source, line),
    // The resolution of the simulation: instants that differ by less count as equal there.
    timeline: timelineRowsOf(plan, timeline, run.clock === 'steps' || duration === 0 ? 1 : duration / 2 ** 40),
    critical: intColumn(run.criticalPath.map(({ operation, bulk }) => bulk * operations + operation)),
    steps: stepsOf(plan, run.sent, timeline),
    links: linkUseOf(run.links, run.sent, timeline),
    sources,
    measured: measured === undefined ? undefined : measuredOf(measured),
    notes: [...new Set([...topology.notes, ...notes])],
  };
}

function machineOf({ topology, isReal }: TimedRun): PageMachine {
  const { nodes, links, chips } = topology;
  const tooLarge = nodes.length > largest.nodes || links.length > largest.links;
  const rank = new Map(chips.map((node, index) => [node, index]));
  if (tooLarge) {
    const named = nodes.map((node, index) => nodeOf(node, rank.get(index), { x: 0, y: 0 }));
    const drawn = { layout: 'none', width: 0, height: 0, boxes: [] };
    const straight = links.map(({ from, to }) => ({ from, to, bend: 0, speed: '' }));
    return { name: topology.name, real: isReal, ...drawn, nodes: named, links: straight, tooLarge };
  }
  const { kind, x, y, width, height, boxes } = layOutMachine(topology);
  const bends = bendsOf(links, { x, y });
  return {
    name: topology.name,
    real: isReal,
    layout: kind,
    width: rounded(width),
    height: rounded(height),
    nodes: nodes.map((node, index) => nodeOf(node, rank.get(index), { x: x[index], y: y[index] })),
    links: links.map(({ from, to, latency, bandwidth, occupancy }, index) => ({
      ...{ from, to, bend: rounded(bends[index]) },
      speed: isReal ? `${formatSeconds(latency)}, ${formatBytesPerSecond(bandwidth)}, ${occupancy}` : '',
    })),
    boxes: boxes.map(({ label, ...box }) => ({
      label,
      ...{ x: rounded(box.x), y: rounded(box.y), width: rounded(box.width), height: rounded(box.height) },
    })),
    tooLarge,
  };
}

function nodeOf(
  { name, kind }: Topology['nodes'][number],
  rank = -1,
  { x, y }: { readonly x: number; readonly y: number },
): PageMachine['nodes'][number] {
  return { name, kind, rank, x: rounded(x), y: rounded(y) };
}

/** Rounds a length to a thousandth of the distance between neighbours. */
function rounded(place: number): number {
  return Math.round(place * 1000) / 1000;
}

function findingOf({ severity, code, message, story }: Finding, plan: Plan): PageFinding {
  return {
    severity,
    code,
    message,
    story: story.map(({ text, place: { rank, lane, index, bulk } }) => {
      return { text, operation: operationNumber(plan, rank, lane, index), bulk };
    }),
  };
}

/** The number of an operation in the plan; −1 if there is none in that place. @param id of the lane */
function operationNumber({ firstLane, laneId, firstOp }: Plan, rank: number, id: number, index: number): number {
  for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++) {
    if (laneId[lane] !== id) continue;
    const operation = firstOp[lane] + index;
    return operation < firstOp[lane + 1] ? operation : -1;
  }
  return -1;
}

function boundOf({ bound, topology }: ViewSubject, { clock, duration }: TimedRun): PageBound | undefined {
  if (bound === undefined || topology === undefined || clock !== 'seconds') return undefined;
  // A run that was timed may be faster than the model of its machine allows: such bounds are left out.
  const exceeded = new Set<Claim>(contradictedClaims(bound, duration));
  const certificates = bound.certificates.filter((certificate) => !exceeded.has(certificate));
  const shown = certificates.slice(0, viewLimits.certificates).map((certificate) => {
    const { kind, seconds, reason } = certificate;
    return { kind, seconds, reason, ...marksOf(certificate, topology) };
  });
  const stated = bound.stated.map((claim) => ({ ...claim, inside: [], nodes: [], links: [] }));
  const all = [...shown, ...stated];
  return { seconds: all[0]?.seconds ?? 0, certificates: all };
}

/** The codes of operations in pages: those of plans, and 5 for what computes. */
function pageKinds({ kind, nanoseconds }: Plan['ops']): Int32Array {
  return nanoseconds === undefined ? kind : kind.map((code, o) => (nanoseconds[o] >= 0 ? 5 : code));
}

function operationColumns(plan: Plan, source: Int32Array, line: Int32Array): PageOperations {
  const { ops, firstLane, laneId, firstOp } = plan;
  return {
    firstLane: intColumn(firstLane),
    laneId: intColumn(laneId),
    firstOp: intColumn(firstOp),
    ...{ kind: intColumn(pageKinds(ops)), peer: intColumn(ops.peer), channel: intColumn(ops.channel) },
    ...{ srcBuffer: intColumn(ops.srcBuffer), srcOffset: intColumn(ops.srcOffset), srcCount: intColumn(ops.srcCount) },
    ...{ dstBuffer: intColumn(ops.dstBuffer), dstOffset: intColumn(ops.dstOffset), dstCount: intColumn(ops.dstCount) },
    ...{
      step: intColumn(ops.step),
      partner: intColumn(PlanIndex.of(plan).connections.partner),
      firstAfter: intColumn(ops.firstAfter),
    },
    ...{ afterOp: intColumn(ops.afterOp), afterBulks: intColumn(ops.afterBulks) },
    ...{ source: intColumn(source), line: intColumn(line) },
  };
}

function measuredOf({ name, start, end }: MeasuredRun): PageMeasured {
  let duration = 0;
  for (const instant of end) duration = Math.max(duration, instant);
  return { name, duration, start: floatColumn(start), end: floatColumn(end) };
}
