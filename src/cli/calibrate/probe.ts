/**
 * `ccc calibrate --probe` measures small plans under MPI on this machine; each kind of plan determines one group of parameters. Single messages from
 * rank to rank determine the time of a hop, trains of messages the time per message on a lane, exchanges the time when both directions are in use, an
 * allreduce the throughput of additions, and plans out of place the throughput of copies.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from '../../emit/index.ts';
import type { SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { Bytes } from '../../ir/units.ts';
import { convert } from '../../jobs/convert.ts';
import { measureSizes } from '../mpi/index.ts';
import {
  copyingOf,
  type Probe,
  type ProbeTime,
  probedCsv,
  probedMachine,
  regimesOf,
  throughputOf,
} from './probe-times.ts';

/** Sizes in bytes, from those whose time is all overhead to those whose time is all bandwidth. */
const sizes: readonly Bytes[] = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
/** Samples of each time in each pass. Every pass runs all probes, so that temporary load on the machine does not fall on one probe only. */
const repetitions = 15;
const passes = 3;
/** Largest number of bytes that a probe moves over its hops in sequence: the longer a probe runs, the likelier other processes disturb it. */
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

/** A train of messages, which are forwarded from rank to rank, hop by hop. */
function train(ranks: number, hops: number, messages: number): Probe {
  const made = schedule(`train-${hops}-${messages}`, 'broadcast', ranks, [
    `chunks: ${messages}`,
    'steps:',
    `  - for: hop in 0 .. ${hops - 1}`,
    '    do:',
    `      - for: c in 0 .. ${messages - 1}`,
    '        step:',
    '          - { copy: hop % N -> (hop + 1) % N, what: chunk c }',
  ]);
  return { ...made, hops, messages, sums: 0, inPlace: true };
}

/** A ring allgather: every rank sends to the next rank while it receives from the previous one. */
function exchange(ranks: number, messages: number, inPlace: boolean): Probe {
  const made = schedule(`exchange-${messages}${inPlace ? '' : '-apart'}`, 'allgather', ranks, [
    `chunks: ${messages}`,
    'steps:',
    `  - for: hop in 0 .. ${ranks - 2}`,
    '    step:',
    '      - for: [r in ranks, c in 0 .. C - 1]',
    '        copy: r -> (r + 1) % N',
    '        what: chunk C * ((r - hop) % N) + c',
  ]);
  return { ...made, hops: ranks - 1, messages: messages * ranks, sums: 0, inPlace };
}

/** An allreduce along a chain: partial sums move up the ranks, then the result is sent back down. */
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
  return { ...made, hops: 2 * (ranks - 1), messages: 1, sums: ranks - 1, inPlace: true };
}

function probesOf(ranks: number): readonly Probe[] {
  return [
    ...[1, 4, 16, 64].map((messages) => train(ranks, ranks - 1, messages)),
    ...[1, 4].map((rounds) => train(ranks, rounds * ranks, 1)),
    ...[1, 8].map((messages) => exchange(ranks, messages, true)),
    exchange(ranks, 1, false),
    sum(ranks),
  ];
}

/** The measured times as CSV, which names the files of the plans in the same folder, and a topology file with which the fit starts. */
export interface Probed {
  readonly times: SourceText;
  readonly machine: SourceText;
}

/**
 * Measures all probes, and writes plans and times into a folder.
 * @throws CccError 'file' if MPI is missing or fails, 'stopped' if it takes too long
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
  const told = { regimes: regimesOf(times), adding: throughputOf(times), copying: copyingOf(times, ranks) };
  return {
    times: { name: join(folder, 'probe.csv'), text: probedCsv(times) },
    machine: { name: 'probed.yaml', text: probedMachine(ranks, told) },
  };
}

async function timesOf(probe: Probe, folder: string, ranks: number, limits: Limits): Promise<readonly ProbeTime[]> {
  const { name, schedule: text, hops, inPlace } = probe;
  const asked = { root: 0, op: 'sum', ordered: false, inPlace, parameters: {}, ranks, limits } as const;
  const { bundle } = await convert({ name: `${name}.yaml`, text }, asked);
  const plan = [...json.emit(bundle)].join('');
  const file = `${name}.json`;
  writeFileSync(join(folder, file), plan);
  const served = sizes.filter((size) => size * hops <= mostBytes);
  const measured = await measureSizes({ name: file, text: plan }, { repetitions, dtype: 'f32', limits }, served);
  return measured.map(({ size, seconds }) => ({ probe, size, seconds }));
}
