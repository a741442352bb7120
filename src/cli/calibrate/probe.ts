/**
 * `ccc calibrate --probe`: times of small plans that tell one number each, measured under MPI on the machine at hand. A message that goes round and round tells
 * what a hop takes, trains of messages what a lane takes for each, trains on channels of their own what several connections take.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '../../emit/index.ts';
import { convert } from '../../files/convert.ts';
import type { SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Bytes } from '../../ir/units.ts';
import { measureSizes } from '../mpi/index.ts';

/** Sizes of the messages: from what only overheads tell to what only bandwidths tell. */
const sizes: readonly Bytes[] = [64, 1024, 8192, 65_536, 524_288, 4_194_304];
const repetitions = 25;

interface Probe {
  readonly name: string;
  readonly schedule: string;
}

function schedule(name: string, collective: string, ranks: number, lines: readonly string[]): Probe {
  const head = [
    'format: ccc-schedule',
    'version: 1',
    `name: ${name}-${collective}`,
    `collective: ${collective}`,
    `ranks: ${ranks}`,
  ];
  return { name, schedule: `${[...head, ...lines].join('\n')}\n` };
}

/**
 * A train of messages goes round all ranks, hop by hop, on one channel or each on its own. It comes back: of a call that begins before the
 * last one has ended everywhere only a part would be seen.
 */
function round(ranks: number, hops: number, messages: number, onChannels = false): Probe {
  return schedule(`${onChannels ? 'channels' : 'round'}-${hops}-${messages}`, 'broadcast', ranks, [
    `chunks: ${messages}`,
    'steps:',
    `  - for: hop in 0 .. ${hops - 1}`,
    '    do:',
    `      - for: c in 0 .. ${messages - 1}`,
    '        step:',
    `          - { copy: hop % N -> (hop + 1) % N, what: chunk c${onChannels ? ', channel: c' : ''} }`,
  ]);
}

/** Two messages go round, one a hop behind the other: between two ranks they cross. */
function crossing(ranks: number, hops: number): Probe {
  return schedule(`crossing-${hops}`, 'broadcast', ranks, [
    'chunks: 2',
    'steps:',
    `  - for: hop in 0 .. ${hops}`,
    '    step:',
    `      - { if: hop < ${hops}, copy: hop % N -> (hop + 1) % N, what: chunk 0 }`,
    '      - { if: hop > 0, copy: (hop - 1) % N -> hop % N, what: chunk 1 }',
  ]);
}

function probesOf(ranks: number): readonly Probe[] {
  return [
    ...[1, 4, 16].map((rounds) => round(ranks, rounds * ranks, 1)),
    ...[4, 16, 64].map((messages) => round(ranks, ranks, messages)),
    ...[4, 16].map((messages) => round(ranks, ranks, messages, true)),
    ...[2, 8].map((rounds) => crossing(ranks, rounds * ranks)),
  ];
}

/** Every two processes have a link of their own; its numbers are where the search begins. */
export function probedMachine(ranks: number): string {
  return `format: ccc-topology
version: 1
name: probed
about: ${ranks} processes of one MPI program, every two of them joined by a link.
chips: ${ranks}
link: { latency: 0.5 us, bandwidth: 10 GB/s, occupancy: pipelined }
links:
  - for: [a in 0 .. ${ranks - 2}, b in a + 1 .. ${ranks - 1}]
    duplex: a <-> b
`;
}

/**
 * Measures, and writes plans and times into a folder.
 * @returns the times, as CSV that names the plans beside it
 * @throws CccError 'file' where MPI is missing or fails, 'stopped' when it takes too long
 */
export async function probe(
  folder: string,
  ranks: number,
  limits: Limits,
  onProgress: (text: string) => void,
): Promise<SourceText> {
  const rows = ['plan,protocol,size,seconds'];
  const probes = probesOf(ranks);
  for (const [index, { name, schedule: text }] of probes.entries()) {
    onProgress(`probe ${index + 1} of ${probes.length}: ${name}`);
    const asked = { root: 0, op: 'sum', ordered: false, inPlace: true, parameters: {}, ranks, limits } as const;
    const { bundle } = await convert({ name: `${name}.yaml`, text }, asked);
    const plan = [...json.emit(bundle)].join('');
    const file = `${name}.json`;
    writeFileSync(join(folder, file), plan);
    const measured = await measureSizes({ name: file, text: plan }, { repetitions, dtype: 'u8', limits }, sizes);
    // The least of all: what else runs here is no property of the machine.
    for (const { size, seconds } of measured) rows.push(`${file},,${size},${seconds}`);
  }
  return { name: join(folder, 'probe.csv'), text: `${rows.join('\n')}\n` };
}
