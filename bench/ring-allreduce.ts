/** One measured process: makes, proves and simulates a ring allreduce; says how long each part took. Run by main.ts. */
import '../src/host/node.ts';
import { cpuUsage } from 'node:process';
import { defaultLimits } from '../src/ir/limits.ts';
import { operationCount } from '../src/ir/plan.ts';
import { Routes } from '../src/ir/routes.ts';
import { lower } from '../src/lower/index.ts';
import { simulate } from '../src/model/index.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../src/read/index.ts';
import { verify } from '../src/verify/index.ts';

const ranks = Number(process.argv[2]);

function timed<T>(work: () => T): { result: T; cpuSeconds: number } {
  const before = cpuUsage();
  const result = work();
  const { user, system } = cpuUsage(before);
  return { result, cpuSeconds: (user + system) / 1e6 };
}

const request = {
  ranks,
  root: 0,
  op: 'sum',
  ordered: false,
  inPlace: true,
  parameters: {},
  limits: defaultLimits,
} as const;
const schedule = timed(() => instantiate(loadScheduleFile('ring-allreduce'), request));
const plan = timed(() => lower(schedule.result));
const topology = resolveTopology(`ring:${ranks}`);
const proof = timed(() => verify(plan.result, { topology }));
const cost = timed(() => simulate(plan.result, new Routes(topology), 64 * 2 ** 20));
process.stdout.write(
  JSON.stringify({
    transfers: schedule.result.steps.transferCount,
    operations: operationCount(plan.result),
    elaborate: schedule.cpuSeconds,
    lower: plan.cpuSeconds,
    verify: proof.cpuSeconds,
    simulate: cost.cpuSeconds,
    verdict: proof.result.verdict,
    seconds: cost.result.seconds,
  }),
);
