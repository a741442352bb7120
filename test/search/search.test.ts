/** The quick search: good plans of machines that have lost something, proved, the same every time, and with less tried for them. */
import { describe, expect, it } from 'vitest';
import { type DrawnRequest, drawnRequests, editedMachine } from '../../bench/drawn-requests.ts';
import { lowerBound } from '../../src/bounds/index.ts';
import {
  type CollectiveKind,
  type CompileResult,
  compile,
  compileDefaults,
  type Effort,
  planJson,
  type Topology,
} from '../../src/index.ts';
import { WorkBudgetExceeded } from '../../src/ir/effort.ts';
import { Routes } from '../../src/ir/routes.ts';
import { resolveTopology, withoutParts } from '../../src/read/index.ts';
import { scheduleEstimate } from '../../src/search/evaluate/index.ts';
import { CandidateSearch, type SearchRequest } from '../../src/search/search.ts';
import { budgets, type Stage, stages } from '../../src/search/search-limits.ts';
import { sourcesOf } from '../../src/search/sources.ts';
import { type Engine, enginesNamed, libraryEngine } from '../../src/synth/index.ts';
import { collectiveOf } from '../collectives.ts';
import { candidatesOn } from '../synth/list/support.ts';

function broken(name: string, without: string): Topology {
  return withoutParts(resolveTopology(name), [without]);
}

function compiled(
  kind: CollectiveKind,
  topology: Topology,
  effort: Effort,
  { engine = 'auto', size = 2 ** 26, exhaustive = false } = {},
): CompileResult {
  const collective = collectiveOf(kind, topology.chips.length);
  return compile({ ...compileDefaults, collective, topology, size, effort, engine, exhaustive });
}

/** After a quick search by these engines alone; of textbook algorithms one is asked for, and no plan is near a bound of nothing. */
function searched(...engines: readonly Engine[]): CandidateSearch {
  const topology = broken('dgx2', 'chip:1');
  const request = {
    ...compileDefaults,
    onBest: undefined,
    collective: collectiveOf('allgather', topology.chips.length),
    topology,
    size: 2 ** 26,
    effort: 'quick' as const,
    algorithm: 'full-mesh-allgather',
  };
  const search = new CandidateSearch(request, new Routes(topology), 0);
  search.run(sourcesOf(search, engines));
  return search;
}

/** With the part of the bound that a plan reaches at least; where chips cannot send while they reduce, bounds are farther away. */
const machines = [
  ['allgather', 'dgx1', 'link:0-1', 0.95],
  ['alltoall', 'torus:4x4', 'chip:5', 0.75],
  ['reducescatter', 'torus:4x4', 'link:0-1', 0.75],
  ['allreduce', 'ring:16', 'link:5-6', 0.85],
  ['allreduce', 'fattree', 'link:switch0-switch4', 0.85],
  ['reduce', 'sg2260x8', 'chip:1', 0.8],
  // Of rings in two directions half the messages wait while chips reduce: they take a fifth longer than those in one.
  ['allreduce', 'routed-ring:42', 'chip:14', 0.97],
  ['reducescatter', 'routed-ring:38', 'link:switch34-switch33', 0.97],
  // Seven rails through boxes of which one has seven chips: rings of all chips reach a fifth of the bound.
  ['allreduce', 'h100:8', 'chip:2', 0.7],
  // Rings of all chips cross between boxes over one of sixteen NICs, and their messages take up the whole budget.
  ['broadcast', 'mi250:4', 'link:33-switch0', 0.49],
  // One switch joins the boxes over four links each: trees into all are packed longer than levels take.
  ['reducescatter', 'dgx1-cluster:7', 'link:22-23', 0.85],
  // Two alltoalls take twenty times as long on a line as a chain does.
  ['scan', 'ring:40', 'link:0-1', 0.4],
  // Bulks of a ring scan stand in each other's way: it takes twenty times as long as it promises.
  ['scan', 'torus:2x32', 'link:30-31', 0.35],
  // Where links are pipelined, messages that follow each other in continuous time take an eightieth of what their steps would one by one.
  ['reducescatter', 'dgx1-cluster:4', 'chip:3', 0.9, 2 ** 10],
  // Two-way trees promise as much as what keeps in step, and take twice as long: bulks stand in each other's way.
  ['allreduce', 'torus:3x2x9', 'link:12-13', 0.8, 2 ** 30],
  // Trees are packed longer than levels are composed, and cost more in bulks.
  ['allreduce', 'a100:4', 'link:switch 4-26', 0.88, 2 ** 30],
  // Engines that give up in the middle leave the work for a textbook algorithm.
  ['reducescatter', 'dragonfly:16,4,1', 'link:switch 30-switch 24', 0.7, 2 ** 16],
  // The bulks that suit it are known to be many only when most of the work is spent; so is that chips have to keep in step.
  ['allreduce', 'mi250:3', 'chip:10', 0.45, 2 ** 30],
  ['allreduce', 'mesh:12x3', 'chip:26', 0.6, 2 ** 30],
  // Quickly packed chains have time for a closer look at their bulks.
  ['scan', 'dgx1-cluster:8', 'chip:38', 0.88, 2 ** 30],
  // Chains packed at once are large, and take less than half the time of what is priced first.
  ['scan', 'dgx1-cluster', 'link:0-1', 0.7],
] as const;

describe.each(machines)('%s on %s --without %s', (kind, name, without, part, size = 2 ** 26) => {
  const topology = broken(name, without);
  const quick = compiled(kind, topology, 'quick', { size });

  it('is proved, and near its bound', () => {
    const { proved, bound, cost } = quick.bundle;
    expect(proved.verification.verdict).toBe('correct');
    expect(bound.seconds).toBeLessThanOrEqual(cost.seconds * (1 + 1e-9));
    expect(bound.seconds / cost.seconds).toBeGreaterThan(part);
    expect(quick).toMatchObject({ effort: 'quick', stoppedEarly: false });
  });

  it('gives the same bytes again', () => {
    expect(planJson(compiled(kind, topology, 'quick', { size }).bundle)).toBe(planJson(quick.bundle));
  });
});

/** Requests of at most so many ranks. */
function small(count: number, seed: number, most: number): DrawnRequest[] {
  const ranksOf = (name: string): number => resolveTopology(name).chips.length;
  return drawnRequests(12 * count, seed, ranksOf)
    .filter(({ topology }) => ranksOf(topology) <= most)
    .slice(0, count);
}

function searchFor({ kind, topology: name, edits, root, bytes }: DrawnRequest, changed: Partial<SearchRequest> = {}) {
  const topology = editedMachine(resolveTopology(name), edits);
  const collective = { ...collectiveOf(kind, topology.chips.length), root };
  const request = { ...compileDefaults, onBest: undefined, collective, topology, size: bytes, ...changed };
  const { seconds: bound } = lowerBound(collective, topology, bytes);
  /** @param most work after which the search is told to end */
  return (engines: readonly Engine[], budget: readonly Stage[], most = Number.POSITIVE_INFINITY): number => {
    const shouldStop = (): boolean => search.spent >= most || request.shouldStop?.() === true;
    const search: CandidateSearch = new CandidateSearch({ ...request, shouldStop }, Routes.of(topology), bound, budget);
    search.run(sourcesOf(search, engines));
    return search.best;
  };
}

const rounding = 1 + 1e-9;

describe('a larger budget', () => {
  it.each(small(10, 3, 16))('finds no less: $what', (request) => {
    const engines = enginesNamed('auto');
    const times = [1_000, 4_000, 12_000, 20_000, 30_000, 60_000].map((most) =>
      searchFor(request)(engines, budgets.full, most),
    );
    for (let larger = 1; larger < times.length; larger++) {
      expect(times[larger]).toBeLessThanOrEqual(times[larger - 1] * rounding);
    }
  });

  it.each(small(10, 4, 12))('is that of --effort full: $what', (request) => {
    const find = searchFor(request);
    const engines = enginesNamed('auto');
    expect(find(engines, budgets.full)).toBeLessThanOrEqual(find(engines, budgets.quick) * rounding);
  });
});

describe('another engine', () => {
  it.each(small(6, 5, 5))('makes the answer of a search without limits no worse: $what', (request) => {
    const most = Number.POSITIVE_INFINITY;
    const endless = { startLimit: most, maxWork: most, room: most, minGain: 0, minGainOfEngine: 0 };
    const unlimited = [...budgets.full, endless];
    const find = searchFor(request);
    const all = enginesNamed('auto');
    const found = find(all, unlimited);
    for (const left of ['list', 'library', 'scans', 'trees']) {
      const others = all.filter(({ name }) => name !== left);
      expect(found, left).toBeLessThanOrEqual(find(others, unlimited) * rounding);
    }
  });

  it.each(small(8, 6, 9))('finds nothing by itself that all do not find: $what', (request) => {
    const found = searchFor(request)(enginesNamed('auto'), budgets.full);
    for (const { name } of enginesNamed('auto')) {
      const alone = searchFor(request, { engine: name })(enginesNamed(name), budgets.full);
      expect(found, name).toBeLessThanOrEqual(alone * rounding);
    }
  });

  it.each([
    ['trees', 'for a short message', 'ring:10', 825_365, 2 ** 10],
    ['library', 'in bulks, which one bulk does not promise', 'dragonfly:2,1,2', 526_329, 2 ** 16],
  ])('finds what %s has %s', (engine, _where, topology, edits, bytes) => {
    const request = { what: '', topology, edits, kind: 'allreduce', root: 0, bytes } as const;
    const found = searchFor(request)(enginesNamed('auto'), budgets.full);
    const alone = searchFor(request, { engine })(enginesNamed(engine), budgets.full);
    expect(found).toBeLessThanOrEqual(alone * rounding);
  });
});

describe('the time', () => {
  it.each(small(6, 7, 12))('being up leaves what a quick search finds, if that has been searched: $what', (request) => {
    const engines = enginesNamed('auto');
    const quick = searchFor(request)(engines, budgets.quick);
    let asked = 0;
    searchFor(request, { shouldStop: () => ++asked < 0 })(engines, budgets.quick);
    let left = asked;
    const shouldStop = () => --left < 0;
    expect(searchFor(request, { shouldStop })(engines, budgets.full)).toBeLessThanOrEqual(quick * rounding);
  });
});

describe('the budget', () => {
  it('has room in a full search for bulks of a plan that is larger than a quick one', () => {
    const { bound, cost } = compiled('allgather', resolveTopology('a100:16'), 'full', {
      engine: 'levels',
      size: 2 ** 40,
    }).bundle;
    // In one bulk it takes 1.6 times as long.
    expect(bound.seconds / cost.seconds).toBeGreaterThan(0.99);
  });

  it('covers the first plan, for whose sake anything is done', () => {
    const topology = broken('full:52', 'link:47-37');
    const collective = collectiveOf('exscan', topology.chips.length);
    const search = new CandidateSearch(
      { ...compileDefaults, onBest: undefined, collective, topology, size: 2 ** 10, effort: 'quick' },
      new Routes(topology),
      lowerBound(collective, topology, 2 ** 10).seconds,
    );
    search.run(sourcesOf(search, enginesNamed('auto')));
    // With shards in as many parts as the links into a rank are filled with it was 453,000.
    expect(search.spent).toBeLessThan(stages.quick.maxWork);
  });

  it('lets fewer candidates be priced, and says which were not', () => {
    const topology = broken('dragonfly', 'chip:1');
    const [quick, full] = (['quick', 'full'] as const).map((effort) => compiled('allgather', topology, effort));
    expect(quick.candidates.length).toBeLessThan(full.candidates.length);
    expect(quick.bundle.cost.seconds).toBeGreaterThanOrEqual(full.bundle.cost.seconds);
    const large = compiled('allreduce', broken('torus:4x4x4', 'link:0-1'), 'quick');
    expect(large.dismissed.map(({ reason }) => reason)).toContain('not tried: little is to be gained for its work');
  });

  it('counts what engines search for before they propose, and tells them when it is enough', () => {
    let asked = 0;
    const endless: Engine = {
      name: 'endless',
      about: 'searches until it is told to stop',
      *propose({ shouldStop }) {
        while (shouldStop?.(500) !== true && asked < 1000) asked++;
        yield* [];
      },
    };
    const search = searched(libraryEngine, endless);
    expect(search.evaluated).toHaveLength(1);
    expect(search.stoppedEarly).toBe(false);
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(100);
  });

  it('is not overdrawn by much: what has been begun is given up', () => {
    let asked = 0;
    const heedless: Engine = {
      name: 'heedless',
      about: 'says what it does, and goes on whatever it is told',
      *propose({ shouldStop }) {
        for (; asked < 1000; asked++) shouldStop?.(500);
        yield* [];
      },
    };
    // There must be a plan first.
    expect(searched(heedless).evaluated).toHaveLength(0);
    expect(asked).toBe(1000);
    asked = 0;
    const search = searched(libraryEngine, heedless);
    expect(search.evaluated).toHaveLength(1);
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(100);
  });

  it('leaves an engine that was given up in the middle what it had found, if it ends with that', () => {
    const topology = broken('dgx2', 'chip:1');
    const [found] = candidatesOn(topology, { kind: 'allgather', size: 2 ** 26 });
    let [asked, isOver] = [0, false];
    const keeping: Engine = {
      name: 'keeping',
      about: 'keeps what it has found when its next attempt is given up',
      *propose({ shouldStop }) {
        try {
          for (; asked < 1000; asked++) shouldStop?.(500);
        } catch (error) {
          if (!(error instanceof WorkBudgetExceeded)) throw error;
          isOver = shouldStop?.() === true;
        }
        yield { kind: 'candidate', candidate: found };
      },
    };
    const names = searched(libraryEngine, keeping).evaluated.map(({ candidate }) => candidate.name);
    expect(asked).toBeLessThan(100);
    expect(isOver).toBe(true);
    expect(names).toContain(found.name);
  });

  it('goes to a large candidate that promises more than all others before engines are asked for less', () => {
    // Chips that keep in step: a plan of 150,000 operations, by a third faster than what is found while engines are asked again.
    const { bound, cost } = compiled('reduce', resolveTopology('hypercube:7'), 'full').bundle;
    expect(bound.seconds / cost.seconds).toBeGreaterThan(0.85);
  });

  it('is spent only when there is a plan', () => {
    const { candidates } = compiled('allgather', broken('ring:64', 'chip:1'), 'quick', { engine: 'trees' });
    expect(candidates.length).toBeGreaterThanOrEqual(1);
  });
});

describe('a line with pipelined links', () => {
  it('is reduced over in step', () => {
    const ring = broken('ring:33', 'link:25-26');
    const links = ring.links.map((link) => ({
      ...link,
      latency: 5e-7,
      bandwidth: 5e10,
      occupancy: 'pipelined' as const,
    }));
    // Bulks get out of step: what pipelines promise is a twelfth of what they take.
    const { bundle } = compiled('reduce', { ...ring, links }, 'quick', { size: 2 ** 20 });
    expect(bundle.bound.seconds / bundle.cost.seconds).toBeGreaterThan(0.3);
  });
});

describe('--explain', () => {
  it.each([
    ['alltoall', 'sg2260x8'],
    ['reducescatter', 'switch:7'],
    ['reduce', 'fattree'],
  ] as const)('leaves the plan of %s on %s as it is', (kind, name) => {
    const [plain, explained] = [false, true].map((exhaustive) =>
      compiled(kind, resolveTopology(name), 'quick', { size: 2 ** 20, exhaustive }),
    );
    expect(planJson(explained.bundle)).toBe(planJson(plain.bundle));
  });
});

describe('what a schedule promises', () => {
  it('is (N − 1)(α + M/Nβ) for a ring that cannot be cut finer', () => {
    const topology = resolveTopology('ring:8');
    const { nodes, links, chips } = topology;
    const [{ latency, bandwidth }] = links;
    // One way round: the other direction of every link is taken away.
    const oneWay = links.filter(
      ({ from, to }) => (chips.indexOf(to) - chips.indexOf(from) + chips.length) % chips.length === 1,
    );
    const machine = { ...topology, nodes, links: oneWay };
    const schedule = candidatesOn(machine, { kind: 'allgather', size: 2 ** 20 })[0].build(1);
    const expected = 7 * (latency + 2 ** 20 / 8 / bandwidth);
    expect(scheduleEstimate(schedule, new Routes(machine), 2 ** 20, 1)).toBeCloseTo(expected, 12);
  });

  it('is less where a pipeline hides what waits, and never less than the busiest link takes', () => {
    const topology = broken('ring:16', 'link:0-1');
    const routes = new Routes(topology);
    const candidates = candidatesOn(topology, { kind: 'allreduce', size: 2 ** 26 });
    let pipelined = 0;
    for (const schedule of candidates.map((candidate) => candidate.build(1))) {
      const [inOne, inMany] = [1, 'auto' as const].map((bulks) => scheduleEstimate(schedule, routes, 2 ** 26, bulks));
      expect(inMany).toBeLessThanOrEqual(inOne);
      if (inMany < inOne * 0.9) pipelined++;
      // The chip at the far end gets all results over its only link.
      expect(inMany).toBeGreaterThan((2 ** 26 * (15 / 16)) / topology.links[0].bandwidth);
    }
    // Pieces of a reduction wait for each other step by step; those of many bulks follow each other.
    expect(pipelined).toBeGreaterThan(0);
  });
});
