/** What `ccc compile` says about a plan: for people (text) and for programs (`--json`). */
import type { PricedCandidate } from '../comparing.ts';
import type { CompileResult } from '../compile.ts';
import type { Collective } from '../ir/collective.ts';
import { optimality } from '../ir/report.ts';
import { linkName } from '../ir/topology.ts';
import { type Bytes, formatBytes, formatBytesPerSecond, formatSeconds, type Seconds } from '../ir/units.ts';
import { formatTable } from './show/table.ts';

/** algbw = M/T and nccl-tests' bus bandwidth, which corrects it for the traffic that the collective needs at least. */
export interface Rates {
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
}

export function ratesOf(collective: Collective, size: Bytes, seconds: Seconds): Rates {
  const algorithmBandwidth = seconds === 0 ? 0 : size / seconds;
  return { algorithmBandwidth, busBandwidth: algorithmBandwidth * busFactor(collective) };
}

/** The factors of nccl-tests' PERFORMANCE.md; scans are counted like broadcasts. */
function busFactor({ kind, ranks }: Collective): number {
  switch (kind) {
    case 'allgather':
    case 'reducescatter':
    case 'alltoall':
    case 'scatter':
    case 'gather':
      return (ranks - 1) / ranks;
    case 'allreduce':
      return (2 * (ranks - 1)) / ranks;
    default:
      return 1;
  }
}

/** The report on a compiled plan: a few lines that say what it is, how fast, how far from the bound, and what is proved. */
export function compileReport(result: CompileResult): string {
  const { proved, topology, cost, bound, size = 0 } = result.bundle;
  const { plan, verification } = proved;
  const rates = ratesOf(plan.collective, size, cost.seconds);
  const best = bound.certificates[0];
  const lines: [string, string][] = [
    ['plan', `${plan.name}: ${describeShape(result)}`],
    ['time', `${formatSeconds(cost.seconds)} for ${formatBytes(size)}${noteText(topology?.notes)}`],
    [
      'rate',
      `${formatBytesPerSecond(rates.algorithmBandwidth)} algbw, ${formatBytesPerSecond(rates.busBandwidth)} busbw`,
    ],
    ['bound', `${formatSeconds(bound.seconds)}${best === undefined ? '' : ` (${best.kind}: ${best.reason})`}`],
    ['optimality', optimality(bound.seconds, cost.seconds).toFixed(4)],
    ['moved', `${formatBytes(cost.bytesMoved)} in ${cost.messages} messages; path stretch ${round(cost.stretch)}`],
    ['busiest link', busiestLink(result)],
    ['proved', `${verification.proved.join('; ')}`],
    ['in flight', inflightText(result)],
  ];
  for (const finding of verification.findings) lines.push([finding.severity, finding.message]);
  const width = Math.max(...lines.map(([label]) => label.length));
  return lines.map(([label, text]) => `${label.padEnd(width)}  ${text}\n`).join('');
}

function describeShape({ bundle, schedule }: CompileResult): string {
  const { plan } = bundle.proved;
  const parts = [
    `${schedule.steps.stepCount} steps`,
    `${plan.collective.chunks} chunks per shard`,
    plan.bulks === 1 ? 'one bulk' : `${plan.bulks} bulks`,
  ];
  const order = bundle.origin?.ringOrder;
  if (Array.isArray(order)) parts.push(`ring order ${order.join(' ')}`);
  return parts.join(', ');
}

function noteText(notes: readonly string[] | undefined): string {
  return notes === undefined || notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function busiestLink({ bundle: { cost, topology } }: CompileResult): string {
  const busiest = cost.links.reduce((a, b) => (b.busy > a.busy ? b : a), { link: -1, messages: 0, bytes: 0, busy: 0 });
  if (busiest.link < 0 || topology === undefined) return 'none used';
  const share = cost.seconds === 0 ? 0 : busiest.busy / cost.seconds;
  const name = linkName(topology, topology.links[busiest.link]);
  const used = cost.links.filter((link) => link.messages > 0).length;
  return `${name}, busy ${(100 * share).toFixed(1)} % of the time; ${used} of ${topology.links.length} links used`;
}

function inflightText({ bundle: { proved } }: CompileResult): string {
  const { inflight, smallestInflight } = proved.verification;
  const assumed = inflight === undefined ? 'unbounded channels' : `${inflight} transfers per connection`;
  return `proved with ${assumed}; safe from ${smallestInflight} up${smallestInflight === 0 ? ' (rendezvous)' : ''}`;
}

function round(value: number): string {
  return Number(value.toFixed(3)).toString();
}

/** The table of `--explain`: every candidate, best first, and what could not be used. */
export function explainTable(result: CompileResult): string {
  const rows = result
    .explain()
    .map((c) => [
      c.name,
      c.engine,
      String(c.steps),
      String(c.chunks),
      String(c.bulks),
      formatSeconds(c.seconds),
      c.optimality.toFixed(4),
      formatSeconds(c.latency),
      bandwidthTerm(c),
      meetsText(c),
      c.status,
    ]);
  const header = [
    'candidate',
    'engine',
    'steps',
    'chunks',
    'bulks',
    'time',
    'optimality',
    'latency term',
    'bandwidth term',
  ];
  const table = formatTable({ header: [...header, 'meets bound', 'status'], rows });
  const dismissed = result.dismissed.map(({ name, reason }) => `not applicable: ${name}: ${reason}\n`).join('');
  return `${table}\n${dismissed}`;
}

function bandwidthTerm(candidate: PricedCandidate): string {
  return candidate.secondsPerByte > 0 ? `M / ${formatBytesPerSecond(1 / candidate.secondsPerByte)}` : '0';
}

function meetsText(candidate: PricedCandidate): string {
  return candidate.meets.length === 0 ? 'neither' : candidate.meets.join(' + ');
}

/** The document of `--json`. */
export function compileDocument(result: CompileResult): object {
  const { proved, topology, size = 0, dtype, cost, bound, origin } = result.bundle;
  const { plan, verification } = proved;
  return {
    ok: true,
    name: plan.name,
    collective: plan.collective,
    topology: topology?.name,
    notes: topology?.notes,
    size,
    dtype,
    bulks: plan.bulks,
    steps: result.schedule.steps.stepCount,
    origin,
    cost: {
      seconds: cost.seconds,
      messages: cost.messages,
      bytesMoved: cost.bytesMoved,
      bytesOnLinks: cost.bytesOnLinks,
      stretch: cost.stretch,
      ...ratesOf(plan.collective, size, cost.seconds),
      links: cost.links.map((use) => ({
        ...use,
        name: topology === undefined ? String(use.link) : linkName(topology, topology.links[use.link]),
        utilisation: cost.seconds === 0 ? 0 : use.busy / cost.seconds,
      })),
    },
    bound: {
      seconds: bound.seconds,
      optimality: optimality(bound.seconds, cost.seconds),
      certificates: bound.certificates,
    },
    verification: {
      verdict: verification.verdict,
      inflight: verification.inflight ?? 'unbounded',
      smallestInflight: verification.smallestInflight,
      bitwise: verification.determinism?.identical,
      proved: verification.proved,
    },
    candidates: result.explain(),
    dismissed: result.dismissed,
    stoppedEarly: result.stoppedEarly,
  };
}
