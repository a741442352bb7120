/** Makes a schedule faster, as a job for a worker. */
import type { SourceText } from '../ir/diagnostic.ts';
import { formatSeconds } from '../ir/units.ts';
import { optimize as improve, type OptimizeRequest, type OptimizeResult } from '../optimize/index.ts';
import { type PostedBundle, posted } from './compile/found-plan.ts';
import type { JobControl } from './workers/job-control.ts';

/** The assignment of a worker: what to make faster. */
export interface OptimizeWork {
  readonly source: SourceText;
  readonly request: Omit<OptimizeRequest, 'shouldStop' | 'onBest'>;
}

/** The result as plain data. */
export interface FoundOptimized extends Omit<OptimizeResult, 'bundle'> {
  readonly bundle: PostedBundle;
}

export async function optimizeJob(
  { source, request }: OptimizeWork,
  { shouldStop, onProgress, onResult }: JobControl<FoundOptimized>,
): Promise<FoundOptimized> {
  const dataOf = ({ bundle, ...result }: OptimizeResult): FoundOptimized => ({ ...result, bundle: posted(bundle) });
  const onBest = (result: OptimizeResult): void => {
    onProgress(`${formatSeconds(result.seconds)} after ${result.improvements.length} improvements`);
    onResult(dataOf(result));
  };
  return dataOf(await improve(source, { ...request, shouldStop, onBest }));
}
