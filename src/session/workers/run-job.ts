/** Runs a job in workers, or in the calling thread where there are none or where the job is too short to need any. */
import { platform } from '../platform.ts';
import { Crew } from './crew.ts';
import type { JobSettings } from './job-settings.ts';
import { type JobName, jobs, type RequestOf, type ResultOf } from './registry.ts';

/** Runs a job to its end. @throws CccError as the job, and as `Crew.result` */
export async function runJob<Name extends JobName>(
  name: Name,
  request: RequestOf<Name>,
  settings: JobSettings<ResultOf<Name>>,
): Promise<ResultOf<Name>> {
  const host = settings.isShort === true ? undefined : await platform().workerHost();
  if (host === undefined) return runHere(name, request, settings);
  settings.onWorkers?.();
  return new Crew<RequestOf<Name>, ResultOf<Name>>(name, request, settings, host).result();
}

async function runHere<Name extends JobName>(
  name: Name,
  request: RequestOf<Name>,
  settings: JobSettings<ResultOf<Name>>,
): Promise<ResultOf<Name>> {
  const { signal, deadline = Number.POSITIVE_INFINITY, onProgress, onResult, onModel } = settings;
  const job = await jobs[name]();
  return job(request, {
    index: 0,
    workers: 1,
    shouldStop: () => signal?.aborted === true || performance.now() > deadline,
    onProgress: (text) => onProgress?.(text),
    onResult: (result) => onResult?.(result),
    onModel: (model, what) => onModel?.({ model, name: what }),
  });
}
