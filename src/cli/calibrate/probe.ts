/**
 * `ccc calibrate --probe`: times of small plans that tell one number each, measured under MPI on the machine at hand. A message that goes round and round tells
 * what a hop takes, trains of messages what a lane takes for each, messages that cross what both directions take, and sums what adding takes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '../../emit/index.ts';
import { convert } from '../../files/convert.ts';
import type { SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Bytes } from '../../ir/units.ts';
import { measureSizes } from '../mpi/index.ts';
import { type Probe, type ProbeTime, probedCsv, probedMachine, regimesOf, throughputOf } from './probe-times.ts';

/** Sizes of the messages: from what only overheads tell to what only bandwidths tell. */
const sizes: readonly Bytes[] = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
/** Samples of each time in each pass. The passes go through all probes, so that a busy spell of the machine falls on no time alone. */
const repetitions = 15;
const passes = 3;
/** Bytes that go over all hops of a probe one after the other: what takes long is never left alone by what else runs. */
const mostBytes = 2 ** 25;

function schedule(
  name: string,
  collective: string,
  ranks: number,
  lines: readonly string[],
): { readonly name: string; readonly schedule: string } {
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
 * A train of messages goes round all ranks, hop by hop. It comes back: of a call that begins before the last one has ended everywhere only a
 * part would be seen.
 */
function round(ranks: number, hops: number, messages: number): Probe {
  const made = schedule(`round-${hops}-${messages}`, 'broadcast', ranks, [
    `chunks: ${messages}`,
    'steps:',
    `  - for: hop in 0 .. ${hops - 1}`,
    '    do:',
    `      - for: c in 0 .. ${messages - 1}`,
    '        step:',
    '          - { copy: hop % N -> (hop + 1) % N, what: chunk c }',
  ]);
  return { ...made, hops, messages, sums: 0 };
}

/** Two messages go round, one a hop behind the other: between two ranks they cross. */
function crossing(ranks: number, hops: number): Probe {
  const made = schedule(`crossing-${hops}`, 'broadcast', ranks, [
    'chunks: 2',
    'steps:',
    `  - for: hop in 0 .. ${hops}`,
    '    step:',
    `      - { if: hop < ${hops}, copy: hop % N -> (hop + 1) % N, what: chunk 0 }`,
    '      - { if: hop > 0, copy: (hop - 1) % N -> hop % N, what: chunk 1 }',
  ]);
  return { ...made, hops: hops + 1, messages: 2, sums: 0 };
}

/** The sum of all goes along the ranks, and the result comes back. */
function sum(ranks: number): Probe {
  const made = schedule('sum', 'allreduce', ranks, [
    'steps:',
    `  - for: hop in 0 .. ${ranks - 2}`,
    '    step:',
    '      - { reduce: hop -> hop + 1, what: all }',
    `  - for: hop in 0 .. ${ranks - 2}`,
    '    step:',
    '      - { copy: N - 1 - hop -> N - 2 - hop, what: all }',
  ]);
  return { ...made, hops: 2 * (ranks - 1), messages: 1, sums: ranks - 1 };
}

function probesOf(ranks: number): readonly Probe[] {
  return [
    ...[1, 4, 16].map((rounds) => round(ranks, rounds * ranks, 1)),
    ...[4, 16, 64].map((messages) => round(ranks, ranks, messages)),
    ...[2, 8].map((rounds) => crossing(ranks, rounds * ranks)),
    sum(ranks),
  ];
}

/** The times that were measured, as CSV that names the plans beside it, and a machine to begin with. */
export interface Probed {
  readonly times: SourceText;
  readonly machine: SourceText;
}

/**
 * Measures, and writes plans and times into a folder.
 * @throws CccError 'file' where MPI is missing or fails, 'stopped' when it takes too long
 */
export async function probe(
  folder: string,
  ranks: number,
  limits: Limits,
  onProgress: (text: string) => void,
): Promise<Probed> {
  const probes = probesOf(ranks);
  const times: ProbeTime[] = [];
  for (let pass = 1; pass <= passes; pass++) {
    for (const [index, each] of probes.entries()) {
      onProgress(`pass ${pass} of ${passes}, probe ${index + 1} of ${probes.length}: ${each.name}`);
      times.push(...(await timesOf(each, folder, ranks, limits)));
    }
  }
  return {
    times: { name: join(folder, 'probe.csv'), text: probedCsv(times) },
    machine: { name: 'probed.yaml', text: probedMachine(ranks, regimesOf(times), throughputOf(times)) },
  };
}

async function timesOf(probe: Probe, folder: string, ranks: number, limits: Limits): Promise<readonly ProbeTime[]> {
  const { name, schedule: text, hops } = probe;
  const asked = { root: 0, op: 'sum', ordered: false, inPlace: true, parameters: {}, ranks, limits } as const;
  const { bundle } = await convert({ name: `${name}.yaml`, text }, asked);
  const plan = [...json.emit(bundle)].join('');
  const file = `${name}.json`;
  writeFileSync(join(folder, file), plan);
  const served = sizes.filter((size) => size * hops <= mostBytes);
  const measured = await measureSizes({ name: file, text: plan }, { repetitions, dtype: 'f32', limits }, served);
  return measured.map(({ size, seconds }) => ({ probe, size, seconds }));
}
