/** Determines the collective that a plan declares, and checks its buffer sizes. */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import { CustomResultsBuilder } from '../../ir/custom-results.ts';
import type { Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import type { ExecutionPlan } from '../execution-plan.ts';
import { partLine } from './words.ts';

const named: Partial<Readonly<Record<ExecutionPlan['collective'], CollectiveKind>>> = {
  allgather: 'allgather',
  allreduce: 'allreduce',
  reducescatter: 'reducescatter',
  alltoall: 'alltoall',
};

/** Whether the file defines the expected result. */
export function saysResult({ collective }: ExecutionPlan): boolean {
  return named[collective] !== undefined || collective === 'sendrecv';
}

/**
 * The plan's collective at the granularity of cells: each chunk of the returned collective is a cell.
 * @param perChunk number of cells of a chunk
 */
export function cellCollectiveOf(plan: ExecutionPlan, perChunk: number): Collective {
  const { gpus, inPlace } = plan;
  const kind = named[plan.collective] ?? 'custom';
  const common = { kind, ranks: gpus.length, root: 0, op: 'sum', ordered: false, inPlace } as const;
  if (kind !== 'custom') return { ...common, chunks: shardChunks(plan) * perChunk };
  const results = new CustomResultsBuilder();
  const cells = (chunks: number): number => chunks * perChunk;
  gpus.forEach(({ chunks }, gpu) => {
    results.openRank();
    const from = { rank: (gpu + gpus.length - 1) % gpus.length, chunk: 0 };
    for (let slot = 0; slot < cells(chunks.output); slot++) {
      results.add(plan.collective === 'sendrecv' ? [{ ...from, chunk: slot }] : null);
    }
  });
  const input = gpus.map(({ chunks }) => cells(chunks.input));
  const output = gpus.map(({ chunks }) => cells(chunks.output));
  return { ...common, chunks: 1, custom: { input, output, results: results.build() } };
}

/** C: the number of chunks that each gpu contributes or gets. */
function shardChunks({ collective, gpus }: ExecutionPlan): number {
  const { input, output } = gpus[0].chunks;
  switch (collective) {
    case 'reducescatter':
      return output;
    case 'alltoall':
      return Math.floor(input / gpus.length);
    default:
      return input;
  }
}

/** Finds buffers whose sizes do not fit the collective. */
export function checkBufferSizes(plan: ExecutionPlan): readonly Finding[] {
  const found = new CheckFindings('malformed');
  const { collective, gpus } = plan;
  if (!saysResult(plan)) return [];
  const shard = shardChunks(plan);
  const all = gpus.length * shard;
  const wanted = {
    allgather: { input: shard, output: all },
    reducescatter: { input: all, output: shard },
    alltoall: { input: all, output: all },
    allreduce: { input: shard, output: shard },
    sendrecv: { input: shard, output: shard },
    test: undefined,
    custom: undefined,
  }[collective];
  if (wanted === undefined) return [];
  for (const { id, chunks, range } of gpus) {
    for (const buffer of ['input', 'output'] as const) {
      if (chunks[buffer] === wanted[buffer]) continue;
      found.add(() => ({
        message: `gpu ${id} has ${chunks[buffer]} ${buffer} chunks; ${collective} on ${gpus.length} gpus has ${wanted[buffer]} here.`,
        story: [partLine(`gpu ${id}`, id, 0, range)],
      }));
    }
  }
  return found.list();
}
