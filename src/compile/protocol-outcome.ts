/** What a compilation says of protocols that it has chosen from. */
import type { Seconds } from '../ir/units.ts';

/** What became of a protocol: the time of its best plan, or why it was not looked at. */
export interface ProtocolOutcome {
  readonly protocol: string;
  readonly seconds?: Seconds;
  readonly reason?: string;
}
