/** Plans whose ranks all run one program, shifted, take as long when one chip is simulated as when all are. */
import { describe, expect, it } from 'vitest';
import type { CompactPlan, SymmetricTopology } from '../../../src/ir/compact.ts';
import { expandCompact } from '../../../src/ir/expand.ts';
import { Random } from '../../../src/ir/random.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { simulate, simulateShifted, timeline } from '../../../src/model/index.ts';
import { circulant, type LinkNumbers, layeredPlan, torus, wholeMachine } from '../../compact/machines.ts';
import { testSeed } from '../../draw.ts';

const size = 1e6;

function randomLink(random: Random): LinkNumbers {
  return {
    latency: (1 + random.below(9)) * 1e-7,
    bandwidth: (1 + random.below(9)) * 1e9,
    occupancy: random.below(2) === 0 ? 'blocking' : 'pipelined',
    units: 1,
  };
}

/** Both ways to simulate a program on a machine. */
function bothWays(program: CompactPlan, machine: SymmetricTopology) {
  const plan = expandCompact(program);
  const routes = new Routes(wholeMachine(machine));
  return { plan, routes, one: simulateShifted(plan, program.shape, routes, size), all: simulate(plan, routes, size) };
}

const shapes = [[2], [5], [2, 2], [3, 4], [2, 3, 2]];
const variants = [{}, { chunks: 3 }, { bulks: 4, inPlace: true }];
const random = new Random(testSeed + 3);
const machines: readonly SymmetricTopology[] = [
  ...shapes.map((shape) => torus(shape)),
  ...shapes.map((shape) => torus(shape, [randomLink(random), randomLink(random), randomLink(random)])),
  circulant(7, [1, 2], randomLink(random)),
];

describe('one chip for all', () => {
  it('has the times, the traffic and a critical path of all chips', () => {
    for (const bare of machines) {
      for (const copy of [undefined, { throughput: 2e9 }, { throughput: 3e9, duplex: true }]) {
        const machine = { ...bare, copy };
        for (const variant of variants) {
          const { plan, routes, one, all } = bothWays(layeredPlan(machine, variant), machine);
          const { criticalPath, ...rest } = one;
          const { criticalPath: path, ...expected } = all;
          expect(rest).toEqual(expected);
          expect(criticalPath.at(-1)?.end).toBe(path.at(-1)?.end);
          const { start, end, operations } = timeline(plan, routes, size);
          let before = 0;
          for (const step of criticalPath) {
            const instance = step.bulk * operations + step.operation;
            const kept = plan.ops.kind[step.operation] < 3;
            if (kept) expect([step.start, step.end]).toEqual([start[instance], end[instance]]);
            expect(step.end).toBeGreaterThanOrEqual(before);
            before = step.end;
          }
        }
      }
    }
  });

  it('leads from message to message over the ranks that send them', () => {
    const machine = torus([7]);
    const program = layeredPlan(machine);
    const { plan, one } = bothWays(program, machine);
    const perRank = program.ops.kind.length;
    const sends = one.criticalPath.filter(({ operation }) => plan.ops.kind[operation] === 2);
    const senders = sends.map(({ operation }) => Math.floor(operation / perRank));
    // Three links round the ring to rank 0, one way or the other.
    expect([
      [3, 2, 1],
      [4, 5, 6],
    ]).toContainEqual(senders);
  });

  it('is not taken where ports are scarce, channels short or chips not alike', () => {
    const machine = torus([3, 3]);
    const program = layeredPlan(machine);
    const plan = expandCompact(program);
    const whole = wholeMachine(machine);
    const slower = whole.links.map((link, i) => (i === 5 ? { ...link, bandwidth: 1e9 } : link));
    for (const topology of [
      { ...whole, links: slower },
      { ...whole, inflight: 1 },
      { ...whole, nodes: whole.nodes.map((node) => ({ ...node, ports: { send: 2, receive: 2 } })) },
      { ...whole, nodes: whole.nodes.map((node, i) => ({ ...node, copy: i === 4 ? { throughput: 1e8 } : undefined })) },
    ]) {
      const routes = new Routes(topology);
      expect(simulateShifted(plan, program.shape, routes, size)).toEqual(simulate(plan, routes, size));
    }
  });
});
