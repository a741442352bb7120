/** The plan format is a contract (docs/plan-format.md): the text is compared field by field with what was put in. */
import { describe, expect, it } from 'vitest';
import { json, type PlanBundle } from '../../src/emit/index.ts';
import { type Plan, PlanBuilder } from '../../src/ir/plan.ts';
import { prove } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';

/** Two ranks swap their vectors and add them up; rank 0 puts what arrives on the right, rank 1 on the left. */
function exchange(): Plan {
  const builder = new PlanBuilder();
  for (const rank of [0, 1]) {
    const peer = 1 - rank;
    const [local, out, into] = [builder.openLane(rank, 0), builder.openLane(rank, 3), builder.openLane(rank, 5)];
    const input = { buffer: 'input', offset: 0, count: 2 } as const;
    const output = { buffer: 'output', offset: 0, count: 2 } as const;
    const copy = builder.add(local, { kind: 'copy', src: input, dst: output, step: 0 });
    builder.add(out, { kind: 'send', peer, channel: 7, src: input, step: 1 });
    const order = rank === 0 ? 'held-first' : 'received-first';
    const receive = builder.add(into, { kind: 'recvReduce', peer, channel: 7, dst: output, order, step: 1 });
    builder.wait(receive, copy);
  }
  return builder.build({
    name: 'exchange',
    collective: collectiveOf('allreduce', 2, { chunks: 2 }),
    bulks: 3,
    scratchPerBulk: 1,
    buffers: [0, 1].map(() => ({ input: 2, output: 2, scratch: 0 })),
    rounds: [],
  });
}

function textOf(plan: Plan, blocks: Partial<PlanBundle> = {}): string {
  const { proved, verification } = prove(plan, {});
  if (proved === undefined) throw new Error(verification.findings.map((finding) => finding.message).join('; '));
  const nothing = {
    topology: undefined,
    size: undefined,
    dtype: undefined,
    cost: undefined,
    bound: undefined,
    origin: undefined,
  };
  const bundle = { proved, ...nothing, ...blocks };
  expect(json.check()).toEqual([]);
  return [...json.emit(bundle)].join('');
}

describe('plan JSON', () => {
  it('holds the plan as docs/plan-format.md defines it', () => {
    const document = JSON.parse(textOf(exchange()));
    const after = [[0, 0]];
    const program = (rank: number, receive: object) => ({
      rank,
      buffers: { input: 2, output: 2, scratch: 0 },
      lanes: [
        { id: 0, ops: [{ op: 'copy', src: ['input', 0, 2], dst: ['output', 0, 2], step: 0 }] },
        { id: 3, ops: [{ op: 'send', peer: 1 - rank, channel: 7, src: ['input', 0, 2], step: 1 }] },
        {
          id: 5,
          ops: [{ op: 'recvReduce', peer: 1 - rank, channel: 7, dst: ['output', 0, 2], ...receive, step: 1, after }],
        },
      ],
    });
    expect(document).toMatchObject({
      format: 'ccc-plan',
      version: 1,
      name: 'exchange',
      collective: { kind: 'allreduce', ranks: 2, chunks: 2, root: 0, op: 'sum', inPlace: false },
      bulks: 3,
      programs: [program(0, {}), program(1, { order: 'received-first' })],
    });
    expect(document.programs[0].lanes[2].ops[0]).not.toHaveProperty('order');
  });

  it('says how the plan was proved', () => {
    const { verification } = JSON.parse(textOf(exchange()));
    // Rank 0 computes x₀ ⊕ x₁ and so does rank 1: the same tree, so the same bits.
    expect(verification).toMatchObject({ verdict: 'correct', inflight: 'unbounded', bitwise: true });
  });

  it('keeps the added blocks that were given and leaves the others out', () => {
    const document = JSON.parse(
      textOf(exchange(), { size: 4096, dtype: 'f16', origin: { engine: 'e', schedule: 's' } }),
    );
    expect(document).toMatchObject({ size: 4096, dtype: 'f16', origin: { engine: 'e', schedule: 's' } });
    expect(document).not.toHaveProperty('cost');
    expect(document).not.toHaveProperty('topology');
  });

  it('is the same text every time', () => {
    expect(textOf(exchange())).toBe(textOf(exchange()));
  });
});
