/**
 * Certificates that claim more than a plan takes: whatever a check makes of their numbers, it must not believe one. Small machines of all
 * kinds are drawn with a collective, and the best plan that the whole search finds; the least time of all plans is no more than its time.
 */

import { lowerBound } from '../../src/bounds/index.ts';
import { judgeCertificate } from '../../src/certificates/index.ts';
import { type CompileRequest, searchDefaults, searchPlan } from '../../src/index.ts';
import type { Certificate, Witnesses } from '../../src/ir/certificate.ts';
import type { Collective, CollectiveKind } from '../../src/ir/collective.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import type { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import { countsRequired } from '../../src/ir/shards.ts';
import { type Link, ranksOf, type Topology, withTiming } from '../../src/ir/topology.ts';
import { lower, sideBySide } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { collectiveOf } from '../collectives.ts';
import { link, machine } from '../model/machines.ts';
import { scheduleOf } from '../seeds/library.ts';
import { optimum } from './optima.ts';

/** What is asked, and what a correct plan takes. */
export interface Problem {
  readonly collective: Collective;
  readonly topology: Topology;
  readonly size: number;
  readonly seconds: number;
  /** Certificates that hold. */
  readonly honest: readonly Certificate[];
}

const kinds: readonly CollectiveKind[] = [
  ...(['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce', 'scatter'] as const),
  ...(['gather', 'alltoall', 'scan', 'exscan', 'barrier'] as const),
];

function oneOf<Item>(items: readonly Item[], random: Random): Item {
  return items[random.below(items.length)];
}

/** A ring both ways, or one way, or a line, with more links at random, of 2 to 5 chips and at most one switch. */
function drawnMachine(random: Random): Topology {
  const ranks = 2 + random.below(4);
  const nodes = ranks + random.below(2);
  const alike = random.below(2) === 0;
  const draw = () => ({
    latency: oneOf([0, 1, 1, 2, 4], random),
    bandwidth: oneOf([1, 2, 4, 8], random),
    occupancy: oneOf(['blocking', 'blocking', 'pipelined'] as const, random),
  });
  const same = draw();
  const links: Link[] = [];
  const add = (from: number, to: number) => {
    if (from === to || links.some((other) => other.from === from && other.to === to)) return;
    links.push(link(from, to, alike ? same : draw()));
  };
  const shape = random.below(3);
  for (let node = 0; node + 1 < nodes + (shape === 0 ? 0 : 1); node++) {
    add(node, (node + 1) % nodes);
    if (shape < 2) add((node + 1) % nodes, node);
  }
  for (let more = random.below(2) * random.below(2 * nodes); more > 0; more--)
    add(random.below(nodes), random.below(nodes));
  const most = () => oneOf([1, 2, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY], random);
  const engine = oneOf([undefined, { overlap: true }, { overlap: false }, { overlap: false }] as const, random);
  const reduce = engine && { ...engine, throughput: oneOf([1, 2, 8], random) };
  const inflight = oneOf([undefined, undefined, 0, 1, 2], random);
  const traits = {
    ports: { send: most(), receive: most() },
    ...(reduce && { reduce }),
    ...(inflight === undefined ? {} : { inflight }),
  };
  const made = machine(ranks, links, traits, nodes - ranks);
  if (random.below(4) > 0) return made;
  const overhead = oneOf([0, 1, 3], random);
  const lane = { overhead, bandwidth: oneOf([1, 4, 64], random), visible: oneOf([0, 0.5, 1], random) };
  return withTiming(made, { launch: oneOf([0, 2], random), lane: { ...lane, slice: oneOf([8, 1e9], random) } });
}

function drawnCollective(ranks: number, random: Random): Collective {
  const kind = oneOf(kinds, random);
  const root = ['broadcast', 'reduce', 'scatter', 'gather'].includes(kind) ? random.below(ranks) : 0;
  const taken = random.below(4) === 0 ? countsRequired(kind, ranks) : 0;
  const counts = Array.from({ length: taken }, () => oneOf([0, 0, 8, 24, 100], random));
  return collectiveOf(kind, ranks, {
    root,
    ordered: kind === 'scan' || kind === 'exscan',
    ...(taken > 0 && { counts }),
  });
}

/** Undefined where there is no plan to compare with. */
export function drawnProblem(random: Random): Problem | undefined {
  const topology = drawnMachine(random);
  const size = oneOf([1, 12, 96, 1000], random);
  if (random.below(10) === 0) return ofTwoGroups(topology, size, random);
  const collective = drawnCollective(ranksOf(topology), random);
  const request: CompileRequest = { ...searchDefaults, collective, topology, size, effort: 'quick' };
  try {
    return problemOf(collective, topology, size, searchPlan(request).bundle.cost.seconds);
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

/** Of two or three chips, whole chunks and so few states that the least time of all plans in them is known; undefined where it is not. */
export function enumeratedProblem(random: Random): Problem | undefined {
  const ranks = 2 + random.below(2);
  const alike = random.below(2) === 0;
  const draw = () => ({
    latency: oneOf([0, 1, 1, 2, 4], random),
    bandwidth: oneOf([1, 2, 4, 8], random),
    occupancy: oneOf(['blocking', 'pipelined'] as const, random),
  });
  const same = draw();
  const links: Link[] = [];
  for (let from = 0; from < ranks; from++) {
    for (let to = 0; to < ranks; to++) {
      if (from !== to && random.below(4) > 0) links.push(link(from, to, alike ? same : draw()));
    }
  }
  const most = oneOf([1, Number.POSITIVE_INFINITY], random);
  const plain = machine(ranks, links, { ports: { send: most, receive: most } });
  const copy = { throughput: oneOf([1, 4, 8, 16], random), duplex: true };
  const staged = { nodes: plain.nodes.map((node) => ({ ...node, copy })), staging: { memory: 1e6 } };
  const topology: Topology = random.below(3) === 0 ? { ...plain, ...staged } : plain;
  const kind = oneOf(kinds, random);
  const collective = collectiveOf(kind, ranks, {
    root: ['broadcast', 'reduce', 'scatter', 'gather'].includes(kind) ? random.below(ranks) : 0,
    ordered: kind === 'scan' || kind === 'exscan',
  });
  const size = oneOf([12, 96], random);
  // A message takes the route of the machine: where that is not the link between two chips, nothing goes over the link.
  const routes = new Routes(topology);
  const isRoute = ({ from, to }: Link, at: number): boolean => {
    return routes.choices(from, to) === 1 && routes.between(from, to, 0)?.links.join() === String(at);
  };
  if (!links.every(isRoute)) return undefined;
  const seconds = optimum(collective, topology, size, 1 + random.below(2), { most: 8000 });
  try {
    return seconds === undefined || seconds === Infinity ? undefined : problemOf(collective, topology, size, seconds);
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

/** Two groups that do the same at once, by a textbook algorithm: a custom collective. */
function ofTwoGroups(topology: Topology, size: number, random: Random): Problem {
  const chips = random.shuffle(topology.chips.map((_, rank) => rank));
  const cut = 1 + random.below(chips.length - 1);
  const name = oneOf(
    ['ring-allgather', 'ring-allreduce', 'chain-broadcast', 'ring-reducescatter', 'chain-scan'],
    random,
  );
  const parts = [chips.slice(0, cut), chips.slice(cut)].map((group) => {
    return { plan: lower(scheduleOf(name, group.length)), group };
  });
  const plan = sideBySide(parts, chips.length, name);
  return problemOf(plan.collective, topology, size, simulate(plan, new Routes(topology), size).seconds);
}

function problemOf(collective: Collective, topology: Topology, size: number, seconds: number): Problem {
  return { collective, topology, size, seconds, honest: lowerBound(collective, topology, size).certificates };
}

type Draw = (problem: Problem, random: Random) => unknown;

const rank: Draw = ({ collective }, random) => random.below(collective.ranks);
const direction: Draw = (_, random) => oneOf(['out', 'in'], random);
const some =
  (count: (problem: Problem) => number): Draw =>
  (problem, random) =>
    Array.from({ length: count(problem) }, (_, item) => item).filter(() => random.below(2) === 0);
const ranks = some(({ collective }) => collective.ranks);
const lengths: Draw = ({ topology }, random) => topology.links.map(() => oneOf([0, 0, 1, 1, 2, 5, 1000], random));
const prices: Draw = (_, random) => Array.from({ length: random.below(8) }, () => random.below(40) / 10);
const time: Draw = (_, random) => oneOf([0.25, 0.5, 1, 2, 4], random);

/** Witnesses of every kind that could be read. */
const witnesses: Readonly<Record<keyof Witnesses, Readonly<Record<string, Draw>>>> = {
  trivial: {},
  latency: { from: rank, to: rank },
  overheads: { from: rank, to: rank },
  spreading: { direction, hub: rank },
  families: { direction, hub: rank, apart: time, unit: time, prices },
  cut: { inside: some(({ topology }) => topology.nodes.length), sources: ranks, targets: ranks },
  messages: { direction },
  distances: { lengths },
  spans: { lengths },
  stretches: { lengths },
  routes: { lengths },
  reductions: {},
  staging: { rank },
  'copied-first': { direction, rank },
  'stopped-links': { direction, price: (_, random) => oneOf([0, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16], random) },
  'first-hand': { rank, contributors: ranks },
  gathering: { direction, rank },
  row: { direction, rank },
  straight: { direction },
  relay: { root: rank, direction, chips: ranks },
  'handing-on': { root: rank, direction, chips: ranks },
  passing: { root: rank, direction, through: rank },
};

const strange: readonly unknown[] = [
  ...[0, -1, 0.5, 1e308, -1e308, 1e-308, 30_000_000, 1e160, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY],
  ...[
    null,
    '1',
    true,
    {},
    [],
    [0, 0],
    [1e9],
    [[0]],
    [null],
    new Array(70).fill(0),
    new Array(8).fill(1e308),
    undefined,
  ],
];

/** A witness that is drawn, or that of a certificate that holds, here or somewhere else, with up to two fields that are something else. */
function forgedWitness(problem: Problem, elsewhere: readonly unknown[], random: Random) {
  const given = oneOf([...problem.honest, ...elsewhere, undefined, undefined, undefined], random);
  const kind = oneOf(Object.keys(witnesses), random);
  const drawn = Object.entries(witnesses[kind as keyof Witnesses]).map(([name, draw]) => [name, draw(problem, random)]);
  const base = { kind, witness: Object.fromEntries(drawn), ...(given as object | undefined) };
  const fields: Record<string, unknown> = { ...(base.witness as object) };
  for (let changes = Math.max(0, random.below(4) - 1); changes > 0; changes--) {
    const name = oneOf([...Object.keys(fields), 'direction'], random);
    fields[name] = changed(fields[name], random);
  }
  return {
    kind: random.below(20) === 0 ? kind : base.kind,
    witness: random.below(50) === 0 ? oneOf(strange, random) : fields,
  };
}

function changed(value: unknown, random: Random): unknown {
  if (random.below(3) === 0) return oneOf(strange, random);
  if (typeof value === 'number')
    return oneOf([0, value + 1, value / 2, value * 3, -value, value * 1e6, value * 1e-6], random);
  if (value === 'out' || value === 'in') return value === 'out' ? 'in' : 'out';
  if (!Array.isArray(value)) return value;
  const list: unknown[] = [...value];
  if (random.below(2) === 0) list[random.below(list.length + 1)] = changed(list[0], random);
  else list.splice(random.below(list.length + 1), random.below(2), oneOf([0, 1, 2, 3], random));
  return list;
}

/** More than the plan takes: hardly more, or far more than any number stands for. */
const factors = [1 + 1e-6, 1 + 1e-6, 1 + 1e-6, 1.1, 2, 1e6, 1e200, Number.POSITIVE_INFINITY];

/**
 * Judges forged certificates of a problem; those that are believed are returned.
 * @param elsewhere certificates of other problems
 */
export function believed(problem: Problem, elsewhere: readonly unknown[], count: number, random: Random): unknown[] {
  const { collective, topology, size } = problem;
  return Array.from({ length: count }, () => {
    const claimed = Math.max(problem.seconds, 1e-9) * oneOf(factors, random);
    return { ...forgedWitness(problem, elsewhere, random), seconds: claimed, reason: '' };
  }).filter((forged) => judgeCertificate(forged, collective, topology, size) === 'certified');
}
