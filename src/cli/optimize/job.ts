/** The search of `ccc optimize`: a schedule made faster, as far as there is time for it. */
import type { SourceText } from '../../ir/diagnostic.ts';
import { formatSeconds } from '../../ir/units.ts';
import { type OptimizeRequest, type OptimizeResult, optimize } from '../../optimize/index.ts';
import type { JobControl } from '../jobs/job.ts';

export interface OptimizeWork {
  readonly source: SourceText;
  readonly request: Omit<OptimizeRequest, 'shouldStop' | 'onBest'>;
}

/** Data, all of it. */
export type FoundOptimized = OptimizeResult;

export function optimizeJob(
  { source, request }: OptimizeWork,
  { shouldStop, onProgress, onResult }: JobControl<FoundOptimized>,
): Promise<FoundOptimized> {
  const onBest = (result: OptimizeResult): void => {
    onProgress(`${formatSeconds(result.seconds)} after ${result.improvements.length} improvements`);
    onResult(result);
  };
  return optimize(source, { ...request, shouldStop, onBest });
}
