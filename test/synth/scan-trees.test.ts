/** Scans up and down a tree whose ranks stand in order: the trees, what goes over their edges, and the schedules that come of them. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology, withoutChip, withoutLink } from '../../src/read/index.ts';
import { engines } from '../../src/synth/index.ts';
import { type ChunkProgram, programOf } from '../../src/synth/scans/chunk-program.ts';
import { type Hops, hopsOf } from '../../src/synth/scans/hops.ts';
import { packedSchedule } from '../../src/synth/scans/packed-schedule.ts';
import { ScanTrees } from '../../src/synth/scans/scan-tree.ts';
import { type RankSpan, tellOfTree } from '../../src/synth/scans/tree-telling.ts';
import { distancesOf, treeEdgePaths } from '../../src/synth/scans/trees.ts';
import { collectiveOf } from '../collectives.ts';
import { problemOn, provedSeconds } from './list/support.ts';
import { candidatesAmong } from './problems.ts';

const kinds = ['scan', 'exscan'] as const;
type Kind = (typeof kinds)[number];

function programOn(hops: Hops, tree: RankSpan, kind: Kind, ways = treeEdgePaths(hops, tree)): ChunkProgram {
  const [isScan, { ranks }] = [kind === 'scan', hops];
  return programOf(tellOfTree(tree, { ranks, ownResult: isScan, path: ways.way }), ranks, isScan);
}

function treesOn(hops: Hops, reduction = 1): ScanTrees {
  return new ScanTrees(distancesOf(hops), { detour: 100, reduction });
}

/** Ranks in the order in which a tree has them. */
function inOrder({ rank, parts }: RankSpan): number[] {
  return parts.length === 0 ? [rank] : parts.flatMap(inOrder);
}

/** Edges, by parent and child. */
function edgesOf({ rank, parts }: RankSpan): [number, number][] {
  const children = parts.filter((part) => part.rank !== rank);
  return children.flatMap((child) => [[rank, child.rank], ...edgesOf(child)] as [number, number][]);
}

function treeCandidates(machine: Topology, kind: Kind, size: number) {
  const engine = engines.find(({ name }) => name === 'scans');
  const proposals = engine?.propose(problemOn(machine, { kind, size })) ?? [];
  return candidatesAmong(proposals).filter(({ name }) => name.startsWith('scan tree'));
}

describe('trees whose ranks stand in order', () => {
  const machines = ['mesh:3x5', 'torus:4x4', 'ring:7', 'hypercube:3', 'line:6'];

  it.each(machines)('have all ranks of %s in order, from any root', (machine) => {
    const hops = hopsOf(new Routes(resolveTopology(machine)));
    const trees = treesOn(hops);
    for (let root = 0; root < hops.ranks; root++) {
      const tree = trees.treeOf([root]);
      expect(tree.rank).toBe(root);
      expect(inOrder(tree)).toEqual(Array.from({ length: hops.ranks }, (_, rank) => rank));
    }
  });

  it('have no edge but links where rows follow each other', () => {
    const [rows, columns] = [5, 4];
    const hops = hopsOf(new Routes(resolveTopology(`mesh:${rows}x${columns}`)));
    for (const [parent, child] of edgesOf(treesOn(hops).treeOf([0]))) {
      const apart =
        Math.abs((parent % columns) - (child % columns)) +
        Math.abs(Math.floor(parent / columns) - Math.floor(child / columns));
      expect(apart).toBe(1);
    }
  });

  it('become chains where reductions are dear', () => {
    const hops = hopsOf(new Routes(resolveTopology('line:9')));
    const program = programOn(hops, treesOn(hops, 1000).treeOf([0]), 'scan');
    expect(program.messages).toBe(8);
    expect(program.operations.filter(({ kind }) => kind === 'reduce')).toHaveLength(8);
  });

  it('go up and down as Sanders and Träff say: for seven ranks four messages each way, in four steps', () => {
    const hops = hopsOf(new Routes(resolveTopology('full:7')));
    const leaf = (rank: number): RankSpan => ({ rank, first: rank, end: rank + 1, parts: [] });
    const inner = (rank: number): RankSpan => ({
      ...{ rank, first: rank - 1, end: rank + 2 },
      parts: [leaf(rank - 1), leaf(rank), leaf(rank + 1)],
    });
    const tree: RankSpan = { rank: 3, first: 0, end: 7, parts: [inner(1), leaf(3), inner(5)] };
    for (const kind of kinds) {
      const program = programOn(hops, tree, kind);
      const sent = program.operations.filter(({ source, destination }) => source !== destination);
      const ways = sent.map(({ source, destination }) => `${source}→${destination}`);
      expect(ways.sort()).toEqual(['0→1', '1→3', '2→1', '3→5', '4→5', '5→4', '5→6', '1→2'].sort());
      expect(program.stages).toBe(4);
    }
  });

  it('give every rank its result, by whatever ways, in place and out of place', () => {
    const random = new Random(5);
    for (const machine of ['ring:6', 'mesh:3x4', 'full:6', 'hypercube:3']) {
      const whole = resolveTopology(machine);
      for (const topology of [whole, withoutLink(whole, 0, 1), withoutChip(whole, 2)]) {
        const hops = hopsOf(new Routes(topology));
        for (const kind of kinds) {
          const tree = treesOn(hops, random.below(4)).treeOf([random.below(hops.ranks)]);
          const ways = treeEdgePaths(hops, tree);
          const programs = [1, 2].map(() => programOn(hops, tree, kind, ways));
          const target = { ...collectiveOf(kind, hops.ranks), chunks: 6, inPlace: random.below(2) === 0 };
          const schedule = packedSchedule(programs, target, 'tree');
          expect(provedSeconds({ ...schedule, sendsWait: true }, topology)).toBeGreaterThan(0);
        }
      }
    }
  });

  it('go round a missing link', () => {
    // Without link 0-1 rank 1 has its links to 2 and to 5, and 0 its one to 4.
    const hops = hopsOf(new Routes(withoutLink(resolveTopology('mesh:4x4'), 0, 1)));
    const tree = treesOn(hops).treeOf([15]);
    const ways = treeEdgePaths(hops, tree);
    programOn(hops, tree, 'scan', ways);
    expect(ways.load() / hops.slowest).toBeCloseTo(2);
  });
});

describe('scans up and down trees', () => {
  const size = 2 ** 20;

  // A ring that lost a link elsewhere than before its first rank is a line of which no end is rank 0: a chain goes all the way round.
  it.each([
    ['mesh:8x8', resolveTopology('mesh:8x8'), size],
    ['mesh:15x4 without a link', withoutLink(resolveTopology('mesh:15x4'), 49, 50), size],
    ['ring:38 without a link', withoutLink(resolveTopology('ring:38'), 22, 23), 2 ** 16],
  ])('take less than alltoalls, halves and chains on %s', (_, topology, bytes) => {
    const [tree] = treeCandidates(topology, 'scan', bytes);
    const engine = engines.find(({ name }) => name === 'scans');
    const others = candidatesAmong(engine?.propose(problemOn(topology, { kind: 'scan', size: bytes })) ?? []);
    const seconds = provedSeconds(tree.build(1), topology, bytes);
    for (const other of others) {
      if (other.name.startsWith('scan tree')) continue;
      expect(provedSeconds(other.build(1), topology, bytes), other.name).toBeGreaterThan(seconds);
    }
  });

  it('are about as long as packets in step: a message and reductions for each packet, and for each stage of the first', () => {
    // Rows of four: up a column of four, and out and back along a row. A row's rank reduces what it learns, and what it hands down.
    const [tree] = treeCandidates(resolveTopology('mesh:4x4'), 'scan', size);
    const schedule = tree.build(1);
    const packets = schedule.collective.chunks;
    const stages = 9;
    const inStep = (packets + stages - 1) * (1e-6 + (size / packets) * (1 / 10e9 + 2 / 50e9));
    expect(provedSeconds(schedule, 'mesh:4x4', size) / inStep).toBeCloseTo(1, 1);
  });

  it('are not for chips that send while they reduce, nor for many neighbours', () => {
    for (const machine of ['sg2260x8', 'full:32', 'switch:16']) {
      expect(treeCandidates(resolveTopology(machine), 'scan', size)).toEqual([]);
    }
  });
});
