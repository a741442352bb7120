/** Makes the text and the files that `ccc tune` writes. */
import { jsonText } from '../../ir/plain-text.ts';
import type { Tuning, Tunings } from '../../session/tune/tune.ts';
import { mapPicture, mapText } from './map.ts';
import type { TuneCommandOptions } from './options.ts';
import { picture, tuneDocument, tuneText } from './report.ts';

/** A file to be written. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the text for standard output. @param width columns of tables; undefined if the terminal is unknown */
export function textOf(
  { tunings, isPartial }: Tunings,
  options: TuneCommandOptions,
  width: number | undefined,
): string {
  const all = tunings.map(({ data }) => data);
  if (options.json === true) {
    const documents = all.map(tuneDocument);
    const [first] = documents;
    const document =
      options.ranks === undefined
        ? { ...first, stoppedEarly: first.stoppedEarly || isPartial }
        : { topologies: documents, stoppedEarly: isPartial };
    return `${jsonText({ ok: true, ...document }, 2)}\n`;
  }
  const text = options.ranks === undefined ? tuneText(all[0], width) : mapText(all);
  return isPartial ? `${text}\nStopped early: these are the best of the plans found so far.\n` : text;
}

/** Returns each plan in use once, and the chart: time over size, or the best algorithm by ranks and size if there are several topologies. */
export function planFiles({ tunings }: Tunings, { topo = '', ranks }: TuneCommandOptions): readonly TextFile[] {
  const all = tunings.map(({ data }) => data);
  const [{ collective }] = all;
  const drawing = ranks === undefined ? picture(all[0]) : mapPicture(all, `${collective} on ${topo}`);
  return [...tunings.flatMap(filesOf), { path: `${collective}.svg`, text: drawing }];
}

function filesOf({ plans }: Tuning): readonly TextFile[] {
  const names = new Set<string>();
  return plans.map((plan) => {
    const { name, bulks } = plan.data;
    const stem = `${name}${bulks === 1 ? '' : `-${bulks}-bulks`}`;
    let path = `${stem}.json`;
    for (let copy = 2; names.has(path); copy++) path = `${stem}-${copy}.json`;
    names.add(path);
    return { path, text: plan.text };
  });
}

/** Returns the tables for other libraries, and the names of requested tables that cannot be written. */
export async function tables(
  { tunings, isPartial, openMpiRules, ncclTable }: Tunings,
  { rules, csv, emit, output }: TuneCommandOptions,
): Promise<{ readonly files: readonly TextFile[]; readonly missing: readonly { path: string; reason: string }[] }> {
  const emitted = emit === undefined ? undefined : output;
  const [{ data }] = tunings;
  const wanted = [
    { path: rules, library: 'Open MPI', text: openMpiRules },
    { path: csv, library: 'NCCL', text: ncclTable },
    { path: emitted, library: '', text: emit === undefined || isPartial ? undefined : await tunings[0].emit(emit) },
  ];
  const files = wanted.flatMap(({ path, text }) => (path === undefined || text === undefined ? [] : [{ path, text }]));
  const missing = wanted.flatMap(({ path, library, text }) => {
    if (path === undefined || text !== undefined) return [];
    const none = `${library} has none of the algorithms for ${data.collective} here`;
    return [{ path, reason: isPartial ? 'it takes a search that has ended' : none }];
  });
  return { files, missing };
}
