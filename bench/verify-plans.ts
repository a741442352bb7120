/**
 * One measured process: proves one large plan and says how long that took. Run by main.ts.
 * - `ring P`: the ring allreduce on P ranks as lowered, 4 P (P − 1) operations and P local copies;
 * - `lanes P`: the same messages by hand, in place, every one on a channel and in lanes of its own, without local waits: only the data
 *   that go round order its accesses, and hardly any two of them stand in one lane.
 */
import '../src/host/node.ts';
import { cpuUsage } from 'node:process';
import { defaultLimits } from '../src/ir/limits.ts';
import { operationCount, type Plan, PlanBuilder } from '../src/ir/plan.ts';
import { lower } from '../src/lower/index.ts';
import { instantiate, loadScheduleFile } from '../src/read/index.ts';
import { verify } from '../src/verify/index.ts';

function ring(ranks: number): Plan {
  const limits = { ...defaultLimits, operations: 2e7, evaluations: 1e9 };
  const request = { ranks, root: 0, op: 'sum', ordered: false, inPlace: true, parameters: {}, limits } as const;
  return lower(instantiate(loadScheduleFile('ring-allreduce'), request));
}

function lanes(ranks: number): Plan {
  const builder = new PlanBuilder();
  const shard = (value: number): number => ((value % ranks) + ranks) % ranks;
  const slot = (value: number) => ({ buffer: 'output', offset: shard(value), count: 1 }) as const;
  for (let rank = 0; rank < ranks; rank++) {
    let before = -1;
    for (let step = 0; step < 2 * ranks - 2; step++) {
      const common = { channel: step, step: step + 1 };
      const out = builder.openLane(rank, 2 * step);
      const send = builder.add(out, { kind: 'send', peer: shard(rank + 1), src: slot(rank - step), ...common });
      const into = builder.openLane(rank, 2 * step + 1);
      const kind = step < ranks - 1 ? 'recvReduce' : 'recv';
      if (before !== -1) builder.wait(send, before);
      before = builder.add(into, { kind, peer: shard(rank - 1), dst: slot(rank - step - 1), ...common });
    }
  }
  const collective = {
    kind: 'allreduce',
    ranks,
    chunks: ranks,
    root: 0,
    op: 'sum',
    ordered: false,
    inPlace: true,
  } as const;
  const buffers = Array.from({ length: ranks }, () => ({ input: ranks, output: ranks, scratch: 0 }));
  return builder.build({ name: 'lanes', collective, bulks: 1, scratchPerBulk: 1, rounds: [], buffers });
}

const size = Number(process.argv[3]);
const ownership = process.argv[4] === 'strict' ? 'strict' : 'event';
const plan = process.argv[2] === 'ring' ? ring(size) : lanes(size);
const before = cpuUsage();
const { verdict } = verify(plan, { ownership });
const { user, system } = cpuUsage(before);
process.stdout.write(JSON.stringify({ operations: operationCount(plan), verify: (user + system) / 1e6, verdict }));
