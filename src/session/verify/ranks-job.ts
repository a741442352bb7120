/** What workers that verify schedules are sent, and what they answer. */
import type { SourceText } from '../../ir/diagnostic.ts';
import type { RankOutcome, RankRange, VerifyRequest } from '../../jobs/verify-file.ts';
import type { ErrorParts } from '../workers/messages.ts';

/** A schedule for one number of ranks, as plain data that can be posted to a worker. */
export interface RanksJob {
  readonly schedule: SourceText;
  readonly ranks: number;
  readonly range: RankRange;
  readonly request: Omit<VerifyRequest, 'onProgress'>;
}

/** A worker's answer to the job of that index. */
export interface RanksAnswer {
  readonly index: number;
  readonly outcome?: RankOutcome;
  readonly error?: ErrorParts;
}
