/** Compares two plans: time, bound, steps, loads of links, and how much each rank sends to each other. */
import { judgeCertificate } from '../../certificates/index.ts';
import { messageChunks } from '../../ir/collective.ts';
import type { Plan } from '../../ir/plan.ts';
import { operationCount } from '../../ir/plan.ts';
import { optimality } from '../../ir/report.ts';
import { linkName } from '../../ir/topology.ts';
import { counted, formatBytes, formatSeconds } from '../../ir/units.ts';
import { type DocumentBlocks, isRecord } from '../../jobs/claims.ts';
import type { SimulatedProof } from '../../session/timed-plan.ts';
import { overlayEdges } from '../show/plan/overlay.ts';
import { displayLimits } from '../shown.ts';
import { type Change, changeOf, ratioText, textChange } from './changes.ts';

/** A plan, what its document says and, if its machine is known, its simulated time. */
export interface ComparedPlan {
  readonly plan: Plan;
  readonly machine: string;
  readonly timed: SimulatedProof | undefined;
  /** The lower bound in seconds that the document's certificate proves; undefined if the certificate is for another machine or size, or invalid. */
  readonly bound: number | undefined;
  /** The simulated time in seconds that the plan's document states. */
  readonly stated: number | undefined;
}

/** Prepares a plan for comparison. @param blocks what the plan's document contains in addition to the plan */
export function comparedPlan(plan: Plan, blocks: DocumentBlocks, timed: SimulatedProof | undefined): ComparedPlan {
  const { cost, bound, topology } = blocks;
  const stated = isRecord(cost) && typeof cost.seconds === 'number' ? cost.seconds : undefined;
  const named = isRecord(topology) && typeof topology.name === 'string' ? topology.name : 'not known';
  const machine = timed?.routes.topology.name ?? named;
  const isOfDocument = timed?.size === blocks.size && machine === named;
  const certificate = isOfDocument && isRecord(bound) ? bound.certificate : undefined;
  return { plan, machine, timed, bound: certifiedBound(plan, certificate, timed), stated };
}

function certifiedBound(plan: Plan, certificate: unknown, timed: SimulatedProof | undefined): number | undefined {
  if (timed === undefined || !isRecord(certificate) || typeof certificate.seconds !== 'number') return undefined;
  const { routes, size } = timed;
  const isCertified = judgeCertificate(certificate, plan.collective, routes.topology, size) === 'certified';
  return isCertified ? certificate.seconds : undefined;
}

/** Compares the plans as a whole. */
export function planChanges(before: ComparedPlan, after: ComparedPlan): readonly Change[] {
  const [a, b] = [before.plan, after.plan];
  const both = (what: string, words: (compared: ComparedPlan) => string): Change =>
    textChange(what, words(before), words(after));
  return [
    both('plan', ({ plan }) => plan.name),
    both(
      'collective',
      ({ plan: { collective: c } }) => `${c.kind} on ${counted(c.ranks, 'rank')}${c.inPlace ? ', in place' : ''}`,
    ),
    both('machine', ({ machine }) => machine),
    both('size', ({ timed }) => (timed === undefined ? 'not known' : formatBytes(timed.size))),
    ...secondsChange('simulated time', secondsOf(before), secondsOf(after)),
    ...secondsChange('certified bound', before.bound, after.bound),
    ...optimalityChange(before, after),
    changeOf('steps', stepsOf(a), stepsOf(b), String),
    changeOf('chunks per shard', a.collective.chunks, b.collective.chunks, String),
    changeOf('bulks', a.bulks, b.bulks, String),
    changeOf('operations', operationCount(a), operationCount(b), String),
    ...reportChanges(before.timed, after.timed),
  ];
}

function secondsOf({ timed, stated }: ComparedPlan): number | undefined {
  return timed?.report.seconds ?? stated;
}

function secondsChange(what: string, before: number | undefined, after: number | undefined): readonly Change[] {
  if (before === undefined && after === undefined) return [];
  const words = (value: number | undefined): string => (value === undefined ? 'not known' : formatSeconds(value));
  const change = before === undefined || after === undefined ? '' : ratioText(before, after);
  return [{ what, before: words(before), after: words(after), change }];
}

function optimalityChange(before: ComparedPlan, after: ComparedPlan): readonly Change[] {
  const share = (compared: ComparedPlan): number | undefined => {
    const seconds = secondsOf(compared);
    return compared.bound === undefined || seconds === undefined ? undefined : optimality(compared.bound, seconds);
  };
  const [a, b] = [share(before), share(after)];
  return a === undefined || b === undefined ? [] : [changeOf('optimality', a, b, (value) => value.toFixed(4))];
}

function stepsOf(plan: Plan): number {
  return new Set(plan.ops.step).size - (plan.ops.step.includes(0) ? 1 : 0);
}

function reportChanges(before: SimulatedProof | undefined, after: SimulatedProof | undefined): readonly Change[] {
  if (before === undefined || after === undefined) return [];
  const [a, b] = [before.report, after.report];
  return [
    changeOf('messages', a.messages, b.messages, String),
    changeOf('moved', a.bytesMoved, b.bytesMoved, formatBytes),
    changeOf('on links', a.bytesOnLinks, b.bytesOnLinks, formatBytes),
    changeOf('links used', usedLinks(before), usedLinks(after), String),
  ];
}

function usedLinks({ report }: SimulatedProof): number {
  return report.links.filter(({ messages }) => messages > 0).length;
}

/** Compares the bytes on each link, by name. Only links whose bytes changed are listed, the largest change first. */
export function linkChanges(before: SimulatedProof, after: SimulatedProof): readonly Change[] {
  return greatest(bytesByLink(before), bytesByLink(after), formatBytes, 'link');
}

function bytesByLink({ routes: { topology }, report }: SimulatedProof): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  for (const { link, bytes: carried } of report.links) {
    const name = linkName(topology, topology.links[link]);
    bytes.set(name, (bytes.get(name) ?? 0) + carried);
  }
  return bytes;
}

/** Compares the fraction of M that each rank sends to each other rank; only pairs that changed are listed. */
export function pairChanges(before: Plan, after: Plan): readonly Change[] {
  const words = (share: number): string => (share === 0 ? 'nothing' : `${Number((100 * share).toPrecision(3))} % of M`);
  return greatest(sharesByPair(before), sharesByPair(after), words, 'pair');
}

function sharesByPair(plan: Plan): ReadonlyMap<string, number> {
  const whole = messageChunks(plan.collective);
  return new Map(overlayEdges(plan).map(({ from, to, chunks }) => [`${from} → ${to}`, chunks / whole]));
}

function greatest(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  words: (value: number) => string,
  noun: string,
): readonly Change[] {
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, a: before.get(name) ?? 0, b: after.get(name) ?? 0 }))
    .filter(({ a, b }) => Math.abs(a - b) > 1e-9 * Math.max(a, b))
    .sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a));
  const named = changed.slice(0, displayLimits.named).map(({ name, a, b }): Change => {
    const change = after.has(name) ? ratioText(a, b) : 'gone';
    return { what: name, before: words(a), after: words(b), change };
  });
  const left = changed.length - named.length;
  return left === 0
    ? named
    : [...named, { what: `… ${counted(left, `more ${noun}`)}`, before: '', after: '', change: '' }];
}
