/**
 * `npm run bench:simgrid [-- --json]`: the times of plans beside those of SimGrid, an independent simulator (docs/time-model.md). Its
 * network model is CM02 without factors, its actors are bench/simgrid/plan.cpp. Where that does not compile, nothing is compared, and it says so.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lower, Routes, resolveTopology, searchDefaults, searchPlan, simulate, type Topology } from '../src/index.ts';
import { type CollectiveKind, collectiveFacts } from '../src/ir/collective.ts';
import { defaultLimits } from '../src/ir/limits.ts';
import { OperationCode, operationCount, type Plan, rankOfLane } from '../src/ir/plan.ts';
import { chunkBytesOf } from '../src/ir/shards.ts';
import { type Bytes, formatBytes, formatSeconds, type Seconds } from '../src/ir/units.ts';
import { findConnections } from '../src/model/simulate/connections.ts';
import { weigh } from '../src/model/simulate/weights.ts';
import { instantiate, loadScheduleFile } from '../src/read/index.ts';

const [KiB, MiB] = [2 ** 10, 2 ** 20];

/** Collectives are compiled; other names are those of schedules. */
const subjects: readonly (readonly [plan: string, machine: string, sizes: readonly Bytes[]])[] = [
  ['ring-allgather', 'ring:8', [64 * KiB, 64 * MiB]],
  ['ring-allreduce', 'ring:8', [64 * KiB, 64 * MiB]],
  ['ring-allreduce', 'sg2260x4', [64 * MiB]],
  ['ring-allreduce', 'torus:4x4', [MiB]],
  ['recursive-doubling-allreduce', 'switch:8', [64 * KiB]],
  ['recursive-doubling-allgather', 'hypercube:3', [MiB]],
  ['pairwise-alltoall', 'ring:8', [MiB]],
  ['pairwise-alltoall', 'switch:8', [MiB]],
  ['pairwise-alltoall', 'dgx1', [MiB]],
  ['allgather', 'sg2260x4', [64 * KiB, 64 * MiB]],
  ['allreduce', 'sg2260x4', [64 * MiB]],
  ['alltoall', 'sg2260x4', [64 * MiB]],
  ['allgather', 'torus:4x4', [64 * MiB]],
  ['allreduce', 'torus:4x4', [MiB]],
  ['broadcast', 'line:4', [MiB]],
  ['allgather', 'dgx1', [64 * MiB]],
  ['allreduce', 'dgx1', [MiB]],
  ['alltoall', 'dgx1', [64 * MiB]],
  ['allreduce', 'mi250', [MiB]],
  ['allgather', 'a100:1', [MiB]],
  ['alltoall', 'h100:1', [MiB]],
  ['allgather', 'h100:1', [64 * MiB]],
  ['allreduce', 'fattree', [MiB]],
];

interface Row {
  readonly plan: string;
  readonly machine: string;
  readonly size: Bytes;
  readonly bulks: number;
  readonly seconds: Seconds;
  /** Of SimGrid: links shared, and links taken by one message at a time. */
  readonly shared: Seconds;
  readonly exclusive: Seconds;
}

/** SimGrid knows no engines that keep ports from sending: there reducing is free. */
function comparable(topology: Topology): Topology {
  const nodes = topology.nodes.map((node) => (node.reduce?.overlap === false ? { ...node, reduce: undefined } : node));
  return { ...topology, nodes };
}

function planOf(name: string, topology: Topology, size: Bytes): Plan {
  const ranks = topology.chips.length;
  const asked = { ranks, root: 0, op: 'sum', ordered: false, inPlace: true } as const;
  if (name in collectiveFacts) {
    const collective = { ...asked, kind: name as CollectiveKind, chunks: 1 };
    return searchPlan({ ...searchDefaults, collective, topology, size }).bundle.proved.plan;
  }
  const schedule = loadScheduleFile(name);
  return lower(instantiate(schedule, { ...asked, parameters: {}, limits: defaultLimits }));
}

/** The plan and the machine as bench/simgrid/plan.cpp reads them, in bytes and microseconds. */
function numbersOf(plan: Plan, routes: Routes, size: Bytes): readonly (readonly number[])[] {
  const { nodes, links, chips, inflight = Number.MAX_SAFE_INTEGER } = routes.topology;
  const { ops } = plan;
  const steps = ops.step.reduce((most, step) => Math.max(most, step), 0) + 1;
  const machine = [
    [plan.bulks, inflight, steps * operationCount(plan)],
    [links.length],
    ...links.map((link) => [link.latency * 1e6, link.bandwidth / 1e6, link.occupancy === 'blocking' ? 1 : 0]),
    [2 * nodes.length, ...nodes.flatMap(({ ports }) => [ports.send, ports.receive]).map((free) => Math.min(free, 1e9))],
    [chips.length, 2 * nodes.length],
  ];
  const connections = findConnections(plan, routes);
  const { count, sender, receiver, firstRouteLink, routeLink } = connections;
  const ways = Array.from({ length: count }, (_, c) => {
    const way = [...routeLink.subarray(firstRouteLink[c], firstRouteLink[c + 1])];
    return [sender[c], receiver[c], way.length, ...way, 2, 2 * chips[sender[c]], 2 * chips[receiver[c]] + 1];
  });
  const chunkBytes = chunkBytesOf(plan, size, routes.topology.messages?.alignment);
  const weights = weigh(plan, size, routes.topology.messages);
  const operation = (o: number, chip: number): readonly number[] => {
    const isCopy = ops.kind[o] === OperationCode.copy;
    const engine = isCopy ? nodes[chip].copy : nodes[chip].reduce;
    const isWork = isCopy || ops.kind[o] === OperationCode.reduce || ops.kind[o] === OperationCode.recvReduce;
    const work = isWork && engine !== undefined ? engine : undefined;
    const kind = ops.kind[o] === OperationCode.send ? 0 : ops.peer[o] >= 0 ? 1 : 2;
    const taken =
      work === undefined
        ? [-1, 0]
        : [2 * chip + (isCopy ? 1 : 0), (weights.written[o] * chunkBytes * 1e6) / work.throughput];
    const after = Array.from(ops.afterOp.subarray(ops.firstAfter[o], ops.firstAfter[o + 1]), (before, at) => [
      before,
      ops.afterBulks[ops.firstAfter[o] + at],
    ]);
    const order = ops.step[o] * operationCount(plan) + o;
    return [kind, connections.of[o], weights.sent[o] * chunkBytes, order, ...taken, after.length, ...after.flat()];
  };
  const lanes = Array.from(plan.laneId, (_, lane) => {
    const rank = rankOfLane(plan, lane);
    const own = Array.from({ length: plan.firstOp[lane + 1] - plan.firstOp[lane] }, (_, at) => plan.firstOp[lane] + at);
    return [rank, own.length, ...own.flatMap((o) => operation(o, chips[rank]))];
  });
  return [...machine, [count], ...ways, [lanes.length], ...lanes];
}

function simgrid(program: string, mode: 'shared' | 'exclusive', numbers: readonly (readonly number[])[]): Seconds {
  const input = `${mode}\n${numbers.map((line) => line.join(' ')).join('\n')}\n`;
  const { status, stdout, stderr } = spawnSync(program, ['--log=root.thres:warning'], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`SimGrid: ${stderr}`);
  return Number(stdout) / 1e6;
}

function rowOf(program: string, name: string, machine: string, size: Bytes): Row {
  const topology = comparable(resolveTopology(machine));
  const { inTurn: _, ...plan } = planOf(name, topology, size);
  const routes = new Routes(topology);
  const numbers = numbersOf(plan, routes, size);
  return {
    ...{ plan: name, machine, size, bulks: plan.bulks, seconds: simulate(plan, routes, size).seconds },
    shared: simgrid(program, 'shared', numbers),
    exclusive: simgrid(program, 'exclusive', numbers),
  };
}

function textOf({ plan, machine, size, bulks, seconds, shared, exclusive }: Row): string {
  const theirs = (value: Seconds): string =>
    `${formatSeconds(value).padStart(9)} (${(100 * (value / seconds - 1)).toFixed(4)} %)`.padEnd(24);
  const what = `${plan}, ${machine}, ${formatBytes(size)}, ${bulks === 1 ? 'one bulk' : `${bulks} bulks`}`;
  return `${what.padEnd(60)}${formatSeconds(seconds).padStart(9)}  ${theirs(shared)}${theirs(exclusive)}`;
}

const folder = mkdtempSync(join(tmpdir(), 'ccc-simgrid-'));
try {
  const program = join(folder, 'plan');
  const source = join(import.meta.dirname, 'simgrid', 'plan.cpp');
  const made = spawnSync('g++', ['-std=c++17', '-O1', '-o', program, source, '-lsimgrid'], { encoding: 'utf8' });
  if (made.status !== 0) {
    console.log(
      `Nothing is compared: g++ with SimGrid is needed (Debian: libsimgrid-dev).\n${made.error?.message ?? made.stderr}`,
    );
  } else {
    const rows: Row[] = [];
    for (const [name, machine, sizes] of subjects) {
      for (const size of sizes) {
        const row = rowOf(program, name, machine, size);
        rows.push(row);
        if (!process.argv.includes('--json')) console.log(textOf(row));
      }
    }
    const near = rows.filter(({ seconds, exclusive }) => Math.abs(exclusive / seconds - 1) <= 0.01);
    if (process.argv.includes('--json')) console.log(JSON.stringify(rows, null, 2));
    else console.log(`${near.length} of ${rows.length} are equal within 1 %, one message at a time`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
