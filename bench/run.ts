/**
 * `npx tsx bench/run.ts [--json]` (after `npm run build`: threads run built code): plans on real buffers against plain loops that move the same
 * bytes in as many threads. 64 MiB of f32 on 4 ranks, out of place: an allgather copies N·M bytes, an allreduce copies N·M and adds (N − 1)·M.
 * Repetitions of both are interleaved, minima are compared.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Collective, type ProvedPlan, resolveTopology, searchDefaults, searchPlan } from '../src/index.ts';
import { Memory } from '../src/run/kernels/web-assembly.ts';

const { run }: typeof import('../src/run/index.ts') = await import(
  new URL('../dist/run/index.js', import.meta.url).href
);

const ranks = 4;
const size = 64 * 2 ** 20;
const rounds = 8;
const repetitions = 5;
const threads = Math.min(ranks, availableParallelism());

interface Row {
  readonly plan: string;
  readonly seconds: number;
  readonly baselineSeconds: number;
  /** Baseline over plan: 1 would be as fast. */
  readonly ratio: number;
}

/** Threads that copy and add so many bytes in all, each its part. */
class Baseline {
  private readonly workers: readonly Worker[];

  constructor(copied: number, added: number) {
    const share = { copied: copied / threads, added: added / threads };
    const each = share.copied + share.added;
    const pages = (2 * threads * each) / 65_536 + 1;
    const memory = new Memory({ initial: pages, maximum: pages, shared: true });
    const file = new URL('./run-baseline.mjs', import.meta.url);
    this.workers = Array.from({ length: threads }, (_, thread) => {
      const source = 64 + 2 * thread * each;
      return new Worker(file, { workerData: { memory, source, target: source + each, ...share }, execArgv: [] });
    });
  }

  /** Seconds from the first thread's start to the last one's end. */
  async run(): Promise<number> {
    const answers = this.workers.map((worker) => new Promise<Interval>((resolve) => worker.once('message', resolve)));
    for (const worker of this.workers) worker.postMessage('go');
    const intervals = await Promise.all(answers);
    return (Math.max(...intervals.map(({ end }) => end)) - Math.min(...intervals.map(({ start }) => start))) / 1e9;
  }

  async end(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}

interface Interval {
  readonly start: number;
  readonly end: number;
}

async function compare(plan: ProvedPlan, copied: number, added: number): Promise<Row> {
  const options = { size, dtype: 'f32', repetitions, warmups: 1, threads, inputs: 'exact', seed: 0 } as const;
  const baseline = new Baseline(copied, added);
  await baseline.run();
  let seconds = Number.POSITIVE_INFINITY;
  let baselineSeconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const result = await run(plan, { ...options, check: round === 0, record: false });
    if (result.wrong !== undefined && result.wrong.length > 0) throw new Error(`${plan.plan.name} is wrong`);
    seconds = Math.min(seconds, ...result.seconds);
    for (let i = 0; i < repetitions; i++) baselineSeconds = Math.min(baselineSeconds, await baseline.run());
  }
  await baseline.end();
  return { plan: plan.plan.name, seconds, baselineSeconds, ratio: baselineSeconds / seconds };
}

const rows: Row[] = [];
for (const kind of ['allgather', 'allreduce'] as const) {
  for (const topo of ['full:4', 'ring:4']) {
    const topology = resolveTopology(topo);
    const collective: Collective = { kind, ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false };
    const { bundle } = searchPlan({ collective, topology, size, ...searchDefaults });
    rows.push(await compare(bundle.proved, ranks * size, kind === 'allreduce' ? (ranks - 1) * size : 0));
  }
}

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else {
  for (const { plan, seconds, baselineSeconds, ratio } of rows) {
    const times = `${(seconds * 1e3).toFixed(1)} ms, plain loops ${(baselineSeconds * 1e3).toFixed(1)} ms`;
    process.stdout.write(`${plan}: ${times}: ${(100 * ratio).toFixed(0)} % (target 60 %)\n`);
  }
}
