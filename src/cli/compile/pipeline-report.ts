/** What `ccc compile` says about bulks, in words and as a document (docs/pipelining.md defines the terms). */

import type { ResourceLoad } from '../../ir/report.ts';
import { linkName, type Topology } from '../../ir/topology.ts';
import { counted, formatSeconds, rounding, type Seconds } from '../../ir/units.ts';
import type { CompiledPlan } from '../../session/compile/compiled-plan.ts';
import type { FullPipeline, PipelineReport, SingleBulk } from '../../session/compile/pipeline.ts';

/** The pipeline as a document for programs, with the names of links and chips. */
export function pipelineDocument(compiled: CompiledPlan): object | undefined {
  const { topology, cost } = compiled.bundle;
  const report = compiled.pipeline();
  if (topology === undefined || report === undefined) return undefined;
  const { pipeline, reductions } = report;
  const named = (load: ResourceLoad | undefined) => load && { ...load, name: resourceName(topology, load) };
  return {
    bulks: bulksOf(compiled),
    inflight: topology.inflight ?? 'unbounded',
    ...(pipeline?.kind === 'bulks'
      ? {
          interval: pipeline.interval,
          leastInterval: pipeline.leastInterval,
          binding: pipeline.waits ? { kind: 'waits' } : named(pipeline.busiest),
          busiest: named(pipeline.busiest),
          fill: pipeline.fill,
          oneBulkSeconds: pipeline.single,
          gain: ratio(pipeline.single, cost.seconds),
        }
      : {}),
    ...(pipeline?.kind === 'single'
      ? {
          binding: named(pipeline.busiest),
          ...(taperedDocument(compiled) ?? { twoBulksSeconds: pipeline.double, addedByBulk: pipeline.added }),
        }
      : {}),
    ...(reductions === undefined
      ? {}
      : { reductions: { chip: topology.nodes[reductions.node].name, ...withoutNode(reductions) } }),
  };
}

/** Lines about bulks and reductions; `anyBulks` is true when the number of bulks was ccc's to choose. */
export function pipelineEntries(
  compiled: CompiledPlan,
  anyBulks: boolean,
): readonly (readonly [label: string, ...texts: readonly string[]])[] {
  const { topology, cost } = compiled.bundle;
  const report = compiled.pipeline();
  if (topology === undefined || report === undefined) return [];
  const { pipeline } = report;
  const taper = taperOf(compiled);
  const texts =
    pipeline === undefined
      ? []
      : taper !== undefined
        ? taperedTexts(taper, cost.seconds)
        : pipeline.kind === 'bulks'
          ? fullTexts(pipeline, topology, cost.seconds)
          : anyBulks && !compiled.stoppedEarly
            ? singleTexts(pipeline, topology, cost.seconds)
            : [];
  const reductions = reductionText(report, topology, cost.seconds);
  return [
    ...(texts.length === 0 ? [] : [['pipeline', ...texts] as const]),
    ...(reductions === undefined ? [] : [['reductions', reductions] as const]),
  ];
}

/** Bulks that are written out in the plan, since those at its ends are smaller (docs/sizes.md). */
interface TaperedBulks {
  readonly bulks: number;
  readonly rising: number;
  readonly falling: number;
  readonly equalBulksSeconds: Seconds;
  readonly oneBulkSeconds: Seconds;
}

function taperOf({ bundle: { origin } }: Pick<CompiledPlan, 'bundle'>): TaperedBulks | undefined {
  if (origin === undefined) return undefined;
  const { taperedBulks: bulks, rising, falling, equalBulksSeconds, oneBulkSeconds } = origin;
  return typeof bulks === 'number' &&
    typeof rising === 'number' &&
    typeof falling === 'number' &&
    typeof equalBulksSeconds === 'number' &&
    typeof oneBulkSeconds === 'number'
    ? { bulks, rising, falling, equalBulksSeconds, oneBulkSeconds }
    : undefined;
}

/** How many bulks a plan has for people, whether they are equal or taper. */
export function bulksOf(compiled: Pick<CompiledPlan, 'bundle'>): number {
  return taperOf(compiled)?.bulks ?? compiled.bundle.proved.plan.bulks;
}

function taperedDocument(compiled: CompiledPlan): object | undefined {
  const taper = taperOf(compiled);
  return taper && { tapered: taper, gain: ratio(taper.oneBulkSeconds, compiled.bundle.cost.seconds) };
}

function taperedTexts(taper: TaperedBulks, seconds: Seconds): readonly string[] {
  const { bulks, rising, falling, equalBulksSeconds, oneBulkSeconds } = taper;
  const ends = [
    ...(rising > 1 ? [`rise over the first ${rising}`] : []),
    ...(falling > 1 ? [`fall over the last ${falling}`] : []),
  ].join(' and ');
  return [
    `${bulks} bulks of different sizes, written out one by one in the plan: the sizes ${ends}. With equal bulks it would take ${formatSeconds(equalBulksSeconds)}`,
    `With 1 bulk it would take ${formatSeconds(oneBulkSeconds)}: speedup ${ratio(oneBulkSeconds, seconds).toFixed(3)}`,
  ];
}

function fullTexts(pipeline: FullPipeline, topology: Topology, seconds: Seconds): readonly string[] {
  const { bulks, interval, leastInterval, busiest, waits, fill, single } = pipeline;
  const missed =
    interval > leastInterval * (1 + 1e-6) ? `; the minimum is ${formatSeconds(leastInterval)}` : ', the minimum';
  const binding =
    busiest === undefined
      ? 'no resource is the bottleneck'
      : waits
        ? `waiting between operations is the bottleneck; ${subject(topology, busiest)} is busy for ${formatSeconds(busiest.seconds)} of it`
        : `${subject(topology, busiest)} is the bottleneck, busy for ${formatSeconds(busiest.seconds)} of it`;
  const inflight = topology.inflight === undefined ? 'any number of messages' : counted(topology.inflight, 'message');
  return [
    `${bulks} bulks, a new one every ${formatSeconds(interval)} (II${missed}); ${binding}`,
    `${fill === undefined ? 'the first bulks follow each other more closely' : `filling the pipeline takes ${formatSeconds(fill)}`}; ${inflight} in flight per connection. With 1 bulk it would take ${formatSeconds(single)}: speedup ${ratio(single, seconds).toFixed(3)}`,
  ];
}

function singleTexts({ double, busiest, added }: SingleBulk, topology: Topology, seconds: Seconds): readonly string[] {
  if (busiest === undefined) return ['1 bulk: nothing takes time'];
  const name = subject(topology, busiest);
  const share = busiest.seconds / seconds;
  const idle =
    share > 1 - rounding
      ? `${name} is already busy all the time`
      : `${name} is already busy ${(100 * share).toFixed(1)} % of the time`;
  const two =
    double > seconds * (1 + rounding)
      ? `With 2 it would take ${formatSeconds(double)}`
      : 'With 2 it would be no faster';
  const cost =
    added > busiest.seconds * rounding ? `, and every extra bulk adds ${formatSeconds(added)} of latency on it` : '';
  return [`1 bulk. ${two}: ${idle}${cost}`];
}

function reductionText({ reductions }: PipelineReport, topology: Topology, seconds: Seconds): string | undefined {
  if (reductions === undefined) return undefined;
  const { reducing, hidden, node } = reductions;
  const { name, reduce } = topology.nodes[node];
  const part = `${name} reduces for ${formatSeconds(reducing)}`;
  return reduce?.overlap === false
    ? `${part}, during which its ports are idle: ${percent(reducing, seconds)} of the time`
    : `${part}, ${percent(hidden, reducing)} of which overlaps with its own messages`;
}

function resourceName(topology: Topology, { kind, index }: ResourceLoad): string {
  if (kind === 'link') return `link ${linkName(topology, topology.links[index])}`;
  const { name } = topology.nodes[index];
  return kind === 'chip' ? name : `${kind} of ${name}`;
}

function subject(topology: Topology, load: ResourceLoad): string {
  const name = resourceName(topology, load);
  return load.kind === 'chip' ? `${name}, which cannot send while it reduces,` : name;
}

function withoutNode({ reducing, hidden }: { readonly reducing: Seconds; readonly hidden: Seconds }): object {
  return { reducing, hidden };
}

function percent(part: number, whole: number): string {
  return `${(100 * ratio(part, whole)).toFixed(1)} %`;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
