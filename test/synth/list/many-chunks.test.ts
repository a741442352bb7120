/** What the list engine's search costs as the number of chunks grows, counted in the work that it reports. */
import { expect, it } from 'vitest';
import { candidatesOn } from './support.ts';

/** Work that the strategy `steps` reports for an allgather of so many chunks. */
function workFor(chunks: number): number {
  let work = 0;
  const shouldStop = (more = 0) => {
    work += more;
    return false;
  };
  const candidates = candidatesOn('mesh:2x3', { kind: 'allgather', chunks, shouldStop });
  candidates.find(({ name }) => name.startsWith('list-steps'))?.build(1);
  return work;
}

it('a search for four times as many chunks takes about four times as much work', () => {
  const [few, many] = [workFor(250), workFor(1000)];
  expect(few).toBeGreaterThan(0);
  // C log C grows to 5 times as much, C² to 16 times as much.
  expect(many / few).toBeLessThan((4 * Math.log(1000)) / Math.log(250));
});
