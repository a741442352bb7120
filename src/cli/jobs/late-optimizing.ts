/** When V8 optimizes the code of a search: work of a second is over before optimized code has paid for itself. */
import { setFlagsFromString } from 'node:v8';

/** On machines of more ranks searches last long enough to gain from code that is optimized early. */
const mostRanks = 64;
/** Bytes of bytecode that a function runs before V8 thinks about optimizing it; of itself it does after 132 KiB. */
const interruptBudget = 500_000;

/**
 * Has V8 optimize later in this process, where a search on so many ranks is short. Not to be called before the code is loaded: V8
 * takes compiled code that was kept only with the flags with which it was made.
 */
export function optimizeLate(ranks: number): void {
  if (ranks <= mostRanks) setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
}
