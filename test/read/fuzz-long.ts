/**
 * `npx tsx test/read/fuzz-long.ts 100000 [seed]`: damages files of every format that is read, byte by byte and piece by piece, and reads them.
 * Each must give a value or a CccError; anything else ends the run with the text. A fixed-seed part is in test/read/readers.test.ts.
 */
import { CccError } from '../../src/ir/diagnostic.ts';
import { Random } from '../../src/ir/random.ts';
import { damaged, hostile } from './damage.ts';
import { type Reader, readers } from './readers.ts';

const count = Number(process.argv[2] ?? 100_000);
const random = new Random(Number(process.argv[3] ?? 1));
const tally = new Map<string, number>();
let slowest = { milliseconds: 0, format: '', text: '' };

async function outcome({ format, read }: Reader, text: string): Promise<string> {
  try {
    await read({ name: 'fuzz', text });
    return 'read';
  } catch (error) {
    if (error instanceof CccError)
      return error.range === undefined ? `${error.code} without a place` : 'error with its place';
    process.stdout.write(`${format}: ${String(error)}\n${JSON.stringify(text.slice(0, 5000))}\n`);
    throw error;
  }
}

async function run(reader: Reader, text: string): Promise<void> {
  const before = performance.now();
  const key = `${reader.format}: ${await outcome(reader, text)}`;
  const milliseconds = performance.now() - before;
  if (milliseconds > slowest.milliseconds) slowest = { milliseconds, format: reader.format, text };
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

for (const reader of readers) {
  const texts = reader.texts();
  for (const text of hostile(texts[0])) await run(reader, text);
  for (let at = 0; at < count / readers.length; at++)
    await run(reader, damaged(texts[random.below(texts.length)], random));
}
for (const [key, times] of [...tally].sort()) process.stdout.write(`${String(times).padStart(7)}  ${key}\n`);
const { milliseconds, format, text } = slowest;
process.stdout.write(
  `${count} inputs; the slowest, ${format}, took ${milliseconds.toFixed(0)} ms: ${JSON.stringify(text.slice(0, 200))}\n`,
);
