/** Hand-made plans for the tests of the cost model. Only counts matter to it, so slices all start at chunk 0. */
import type { Collective, CollectiveKind } from '../../src/ir/collective.ts';
import { operationFrom, type Plan, PlanBuilder } from '../../src/ir/plan.ts';
import { collectiveOf } from '../collectives.ts';

export function collective(kind: CollectiveKind, ranks: number, chunks = 1, root = 0): Collective {
  return collectiveOf(kind, ranks, { chunks, root });
}

/** An operation of a lane; `after` names lane, index and bulks back. */
export interface Step {
  readonly op: 'copy' | 'reduce' | 'send' | 'recv' | 'recvReduce';
  readonly peer?: number;
  readonly count: number;
  readonly step?: number;
  readonly channel?: number;
  readonly after?: readonly (readonly [lane: number, index: number, bulks?: number])[];
}

type More = Omit<Step, 'op' | 'peer' | 'count'>;

export const send = (peer: number, count = 1, more: More = {}): Step => ({ op: 'send', peer, count, ...more });
export const recv = (peer: number, count = 1, more: More = {}): Step => ({ op: 'recv', peer, count, ...more });
export const recvReduce = (peer: number, count = 1, more: More = {}): Step => ({
  op: 'recvReduce',
  peer,
  count,
  ...more,
});
export const copy = (count = 1, more: More = {}): Step => ({ op: 'copy', count, ...more });
export const reduce = (count = 1, more: More = {}): Step => ({ op: 'reduce', count, ...more });

/** `programs[rank][lane][index]`. */
export type Programs = readonly (readonly (readonly Step[])[])[];

/** Steps that are not given count along the lane. */
export function plan(target: Collective, programs: Programs, bulks = 1): Plan {
  const builder = new PlanBuilder();
  programs.forEach((lanes, rank) => {
    const handles = lanes.map((steps, id) => {
      const lane = builder.openLane(rank, id);
      return steps.map((step, index) => {
        const slice = { buffer: 'scratch' as const, offset: 0, count: step.count };
        const { op, peer, channel } = step;
        return builder.add(
          lane,
          operationFrom(op, { peer, channel, src: slice, dst: slice, step: step.step ?? index }),
        );
      });
    });
    lanes.forEach((steps, lane) => {
      steps.forEach((step, index) => {
        for (const [otherLane, other, back] of step.after ?? []) {
          builder.wait(handles[lane][index], handles[otherLane][other], back ?? 0);
        }
      });
    });
  });
  const buffers = programs.map(() => ({ input: 1, output: 1, scratch: 1 }));
  return builder.build({ name: 'test', collective: target, bulks, scratchPerBulk: 1, buffers, rounds: [] });
}

const ranksUpTo = (ranks: number): number[] => Array.from({ length: ranks }, (_, r) => r);

/** Everyone passes on what came last, N − 1 times. */
export function ringAllgather(ranks: number): Plan {
  const programs = ranksUpTo(ranks).map((r) => [
    ranksUpTo(ranks - 1).flatMap((s) => [
      send((r + 1) % ranks, 1, { step: s }),
      recv((r + ranks - 1) % ranks, 1, { step: s }),
    ]),
  ]);
  return plan(collective('allgather', ranks), programs);
}

/** Ring reduce-scatter followed by ring allgather, C = N chunks. */
export function ringAllreduce(ranks: number): Plan {
  const programs = ranksUpTo(ranks).map((r) => {
    const next = (r + 1) % ranks;
    const previous = (r + ranks - 1) % ranks;
    const pass = (s: number) => [
      send(next, 1, { step: s }),
      s < ranks - 1 ? recvReduce(previous, 1, { step: s }) : recv(previous, 1, { step: s }),
    ];
    return [ranksUpTo(2 * (ranks - 1)).flatMap(pass)];
  });
  return plan(collective('allreduce', ranks, ranks), programs);
}

/** `blocks` blocks go along the chain from rank N − 1 to rank 0, and each rank adds its own. */
export function chainReduce(ranks: number, blocks: number): Plan {
  const programs = ranksUpTo(ranks).map((r) => [
    ranksUpTo(blocks).flatMap((b) => [
      ...(r < ranks - 1 ? [recvReduce(r + 1, 1, { step: b + ranks - 2 - r })] : []),
      ...(r > 0 ? [send(r - 1, 1, { step: b + ranks - 1 - r })] : []),
    ]),
  ]);
  return plan(collective('reduce', ranks, blocks), programs);
}

/** Rank 0's block doubles its holders in every step. */
export function binomialBroadcast(ranks: number): Plan {
  const programs: Step[][] = ranksUpTo(ranks).map(() => []);
  for (let step = 0; 2 ** step < ranks; step++) {
    for (let r = 0; r < 2 ** step && r + 2 ** step < ranks; r++) {
      programs[r].push(send(r + 2 ** step, 1, { step }));
      programs[r + 2 ** step].push(recv(r, 1, { step }));
    }
  }
  return plan(
    collective('broadcast', ranks),
    programs.map((lane) => [lane]),
  );
}

/** Recursive halving of the root's buffer: rank r · 2^k passes on half of what it has. N a power of two. */
export function binomialScatter(ranks: number): Plan {
  const programs: Step[][] = ranksUpTo(ranks).map(() => []);
  for (let half = ranks / 2, step = 0; half >= 1; half /= 2, step++) {
    for (let r = 0; r < ranks; r += 2 * half) {
      programs[r].push(send(r + half, half, { step }));
      programs[r + half].push(recv(r, half, { step }));
    }
  }
  return plan(
    collective('scatter', ranks),
    programs.map((lane) => [lane]),
  );
}

/** Partners at distance 2^k exchange all they have. N a power of two. */
export function recursiveDoublingAllgather(ranks: number): Plan {
  const programs = ranksUpTo(ranks).map((r) => {
    const lane: Step[] = [];
    for (let half = 1, step = 0; half < ranks; half *= 2, step++) {
      lane.push(send(r ^ half, half, { step }), recv(r ^ half, half, { step }));
    }
    return [lane];
  });
  return plan(collective('allgather', ranks), programs);
}

/** Everyone sends everyone else a message of `count` chunks at once: `direct(allgather)` and the like. */
export function direct(target: Collective, count: number, talks: (from: number, to: number) => boolean): Plan {
  const all = ranksUpTo(target.ranks);
  const programs = all.map((r) => [
    ...all.filter((to) => to !== r && talks(r, to)).map((to) => [send(to, count, { step: 0 })]),
    ...all.filter((from) => from !== r && talks(from, r)).map((from) => [recv(from, count, { step: 0 })]),
  ]);
  return plan(target, programs);
}

/** Rank r adds its vector to what rank r − 1 sends and passes it on. */
export function chainScan(ranks: number): Plan {
  const programs = ranksUpTo(ranks).map((r) => [
    [...(r > 0 ? [recvReduce(r - 1)] : []), ...(r < ranks - 1 ? [send(r + 1)] : [])],
  ]);
  return plan(collective('scan', ranks), programs);
}
