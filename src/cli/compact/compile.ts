/** `ccc compile --compact`: one program that all ranks run shifted, for machines whose full plan would not fit. */
import type { CompactCompileResult } from '../../compact/compile.ts';
import type { CollectiveKind } from '../../ir/collective.ts';
import { compactKinds } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Dtype } from '../../ir/dtype.ts';
import type { Bytes } from '../../ir/units.ts';
import {
  type CollectiveOptions,
  checkOperator,
  collectiveFrom,
  defaultSize,
  limitsFrom,
  type TopologyOptions,
} from '../options.ts';
import { note, writeJson, writeResult } from '../output.ts';
import { widthOf } from '../terminal.ts';

/** What `ccc compile` is told, as far as it concerns compact plans. */
export interface CompactOptions extends TopologyOptions, CollectiveOptions {
  readonly size?: Bytes;
  readonly dtype: Dtype;
  readonly chunks?: number;
  readonly bulks: number | 'auto';
  readonly engine: string;
  readonly algorithm?: string;
  readonly emit: string;
  readonly output?: string;
  readonly ranks?: number;
  readonly explain?: boolean;
  readonly json?: boolean;
}

export async function compileCompactly(kind: CollectiveKind, options: CompactOptions): Promise<void> {
  checkOptions(options);
  await writeCompact(await found(kind, options), options);
}

/** For who has not asked for it: a full plan of so many ranks takes minutes, and is no better. Undefined where there is none. */
export async function foundCompactly(
  kind: CollectiveKind,
  options: CompactOptions,
): Promise<CompactCompileResult | undefined> {
  try {
    return await found(kind, options);
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

export const whyCompact =
  'One program for all ranks, since they all see the same machine. ccc convert --expand writes a full plan out; --effort, --engine or --algorithm search for one.';

async function found(kind: CollectiveKind, options: CompactOptions): Promise<CompactCompileResult> {
  const [{ symmetricTopologyFrom }, { compileCompact }] = await Promise.all([
    import('./machine.ts'),
    import('../../compact/compile.ts'),
  ]);
  const limits = limitsFrom(options.limit);
  const topology = await symmetricTopologyFrom(options, limits);
  const ranks = topology.shape.reduce((product, extent) => product * extent, 1);
  const collective = collectiveFrom(kind, ranks, options);
  checkOperator(kind, options.op, options.dtype);
  const size = options.size ?? defaultSize(collective, options.dtype);
  const { dtype, chunks, bulks } = options;
  return compileCompact({ collective, topology, size, dtype, chunks, bulks, limits });
}

export async function writeCompact(result: CompactCompileResult, options: CompactOptions): Promise<void> {
  if (options.json !== true || options.output !== undefined) {
    const { compactPlanText } = await import('../../compact/plan-json.ts');
    await writeResult(compactPlanText(result.bundle), options.output);
  }
  const { compactDocument, compactReport } = await import('./report.ts');
  if (options.json === true) writeJson(compactDocument(result));
  else note(compactReport(result, widthOf(process.stderr)));
}

function checkOptions({ engine, algorithm, emit, explain, ranks }: CompactOptions): void {
  if (ranks !== undefined)
    throw new CccError('usage', '--compact is for all chips of a machine: give it without --ranks');
  if (engine !== 'auto' && engine !== 'symmetric') {
    throw new CccError('usage', `compact plans come from the engine symmetric, not from ${engine}`);
  }
  if (algorithm !== undefined)
    throw new CccError('usage', '--compact chooses the algorithm: give it without --algorithm');
  if (emit !== 'json')
    throw new CccError(
      'usage',
      `compact plans are written as json, not as ${emit}; ccc convert --expand makes a full plan`,
    );
  if (explain === true) throw new CccError('usage', '--compact has one candidate, so there is nothing to --explain');
}

/** An error about a plan that is too large, with what would help: a compact plan, where one can be made. */
export async function withCompactHint(error: unknown, kind: CollectiveKind, options: CompactOptions): Promise<unknown> {
  if (!(error instanceof CccError) || error.code !== 'limit' || error.message.includes('--compact')) return error;
  if (!compactKinds.includes(kind)) return error;
  const { symmetricTopologyFrom } = await import('./machine.ts');
  try {
    await symmetricTopologyFrom(options, limitsFrom(options.limit));
  } catch (other) {
    if (other instanceof CccError) return error;
    throw other;
  }
  return new CccError('limit', `${error.message}; with --compact, one program is made for all ranks`, error.range);
}
