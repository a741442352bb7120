/** The quick search: good plans of machines that have lost something, proved, the same every time, and with less tried for them. */
import { describe, expect, it } from 'vitest';
import { type DrawnRequest, drawnRequests, editedMachine } from '../../bench/drawn-requests.ts';
import { lowerBound } from '../../src/bounds/index.ts';
import {
  type CollectiveKind,
  type CompileResult,
  type Effort,
  planJson,
  searchDefaults,
  searchPlan,
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
import { testSeed } from '../draw.ts';
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
  return searchPlan({ ...searchDefaults, collective, topology, size, effort, engine, exhaustive });
}

/** After a quick search by these engines alone; of textbook algorithms one is asked for, and no plan is near a bound of nothing. */
function searched(...engines: readonly Engine[]): CandidateSearch {
  const topology = broken('dgx2', 'chip:1');
  const request = {
    ...searchDefaults,
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

/** Requests of at most so many ranks. */
function small(count: number, seed: number, most: number): DrawnRequest[] {
  const ranksOf = (name: string): number => resolveTopology(name).chips.length;
  return drawnRequests(12 * count, seed, ranksOf)
    .filter(({ topology }) => ranksOf(topology) <= most)
    .slice(0, count);
}

const rounding = 1 + 1e-9;

describe.each(small(6, testSeed, 12))('a quick search for $what', ({ kind, topology: name, edits, bytes }) => {
  const topology = editedMachine(resolveTopology(name), edits);
  const quick = compiled(kind, topology, 'quick', { size: bytes });

  it('finds a plan that is proved and not faster than its bound', () => {
    const { proved, bound, cost } = quick.bundle;
    expect(proved.verification.verdict).toBe('correct');
    expect(bound.seconds).toBeLessThanOrEqual(cost.seconds * rounding);
    expect(quick).toMatchObject({ effort: 'quick', stoppedEarly: false });
  });

  it('gives the same bytes again', () => {
    expect(planJson(compiled(kind, topology, 'quick', { size: bytes }).bundle)).toBe(planJson(quick.bundle));
  });
});

function searchFor({ kind, topology: name, edits, root, bytes }: DrawnRequest, changed: Partial<SearchRequest> = {}) {
  const topology = editedMachine(resolveTopology(name), edits);
  const collective = { ...collectiveOf(kind, topology.chips.length), root };
  const request = { ...searchDefaults, onBest: undefined, collective, topology, size: bytes, ...changed };
  const { seconds: bound } = lowerBound(collective, topology, bytes);
  /** @param most work after which the search is told to end */
  return (engines: readonly Engine[], budget: readonly Stage[], most = Number.POSITIVE_INFINITY): number => {
    const shouldStop = (): boolean => search.spent >= most || request.shouldStop?.() === true;
    const search: CandidateSearch = new CandidateSearch({ ...request, shouldStop }, Routes.of(topology), bound, budget);
    search.run(sourcesOf(search, engines));
    return search.best;
  };
}

describe('a larger budget', () => {
  it.each(small(5, 3, 12))('finds no less: $what', (request) => {
    const engines = enginesNamed('auto');
    const times = [1_000, 6_000, 30_000].map((most) => searchFor(request)(engines, budgets.full, most));
    for (let larger = 1; larger < times.length; larger++) {
      expect(times[larger]).toBeLessThanOrEqual(times[larger - 1] * rounding);
    }
  });

  it.each(small(5, 4, 12))('is that of --effort full: $what', (request) => {
    const find = searchFor(request);
    const engines = enginesNamed('auto');
    expect(find(engines, budgets.full)).toBeLessThanOrEqual(find(engines, budgets.quick) * rounding);
  });
});

describe('another engine', () => {
  it.each(small(3, 5, 5))('makes the answer of a search without limits no worse: $what', (request) => {
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

  it.each(small(4, 6, 9))('finds nothing by itself that all do not find: $what', (request) => {
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
  it.each(small(3, 7, 12))('being up leaves what a quick search finds, if that has been searched: $what', (request) => {
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
    const request = { engine: 'levels', size: 2 ** 40 };
    expect(compiled('allgather', resolveTopology('a100:8'), 'full', request).bundle.proved.plan.bulks).toBeGreaterThan(
      1,
    );
  });

  it('covers the first plan, for whose sake anything is done', () => {
    const topology = broken('full:52', 'link:47-37');
    const collective = collectiveOf('exscan', topology.chips.length);
    const search = new CandidateSearch(
      { ...searchDefaults, onBest: undefined, collective, topology, size: 2 ** 10, effort: 'quick' },
      new Routes(topology),
      lowerBound(collective, topology, 2 ** 10).seconds,
    );
    search.run(sourcesOf(search, enginesNamed('auto')));
    expect(search.spent).toBeLessThan(stages.quick.maxWork);
  });

  it('lets fewer candidates be priced, and says which were not', () => {
    const topology = broken('dragonfly', 'chip:1');
    const [quick, full] = (['quick', 'full'] as const).map((effort) => compiled('allgather', topology, effort));
    expect(quick.candidates.length).toBeLessThan(full.candidates.length);
    expect(quick.bundle.cost.seconds).toBeGreaterThanOrEqual(full.bundle.cost.seconds);
    const large = compiled('allreduce', broken('torus:4x4x4', 'link:0-1'), 'quick');
    expect(large.dismissed.map(({ reason }) => reason)).toContainEqual(expect.stringMatching(/^not tried: .*gain/));
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

  it('is spent only when there is a plan', () => {
    const { candidates } = compiled('allgather', broken('ring:64', 'chip:1'), 'quick', { engine: 'trees' });
    expect(candidates.length).toBeGreaterThanOrEqual(1);
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
