/** Runs a job: in workers where there are any, in this thread where there are none or where it takes no time to speak of. */
import { canStartJobWorkers, WorkerPool } from './crew.ts';
import type { NamedModel } from './job.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import { type JobName, jobs, type RequestOf, type ResultOf } from './registry.ts';

export interface JobSettings<Result> {
  /** Milliseconds from the start of the process after which the job is to end with what it has. */
  readonly timeLimit?: number | undefined;
  /** Of so little work that this thread may do it: then Ctrl-C ends the process, and a time limit the job where it asks. */
  readonly isShort?: boolean;
  /** How many workers do it, each told which one it is; one if left out. */
  readonly workers?: number;
  /** Of several results the one with the least is taken. */
  readonly costOf?: (result: Result) => number;
  /** Shows progress even where standard error is no terminal. */
  readonly progress?: boolean | undefined;
  /** Told the last model that was solved, if there was one, however the job ended. */
  readonly onLastModel?: ((last: NamedModel | undefined) => Promise<void>) | undefined;
}

/** Does a job. @throws CccError what the job throws, and those of `WorkerPool.result` */
export async function runJob<Name extends JobName>(
  name: Name,
  request: RequestOf<Name>,
  settings: JobSettings<ResultOf<Name>>,
): Promise<ResultOf<Name>> {
  const { timeLimit, isShort = false, workers = 1, costOf = () => 0, onLastModel } = settings;
  let last: NamedModel | undefined;
  const onModel = (model: NamedModel): void => {
    last = model;
  };
  const line = progressLine(settings.progress === true);
  try {
    if (isShort || !canStartJobWorkers()) return await runHere(name, request, timeLimit, line, onModel);
    const wanted = onLastModel === undefined ? undefined : onModel;
    return await new WorkerPool(name, request, { timeLimit, workers, costOf, line, onModel: wanted }).result();
  } finally {
    line.clear();
    await onLastModel?.(last);
  }
}

async function runHere<Name extends JobName>(
  name: Name,
  request: RequestOf<Name>,
  timeLimit = Number.POSITIVE_INFINITY,
  line: ProgressLine,
  onModel: (model: NamedModel) => void,
): Promise<ResultOf<Name>> {
  const job = await jobs[name]();
  return job(request, {
    index: 0,
    workers: 1,
    shouldStop: () => performance.now() > timeLimit,
    onProgress: line.show,
    onResult: () => {},
    onModel: (model, what) => onModel({ model, name: what }),
  });
}
