/** Reads the output of `ccc run --json`, for one size or many, in threads or under MPI. Every repetition becomes a measurement. */
import { type CollectiveKind, collectiveKinds } from '../../ir/collective.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { parseJson } from '../../ir/parse-json.ts';
import type { Measurement, MeasurementTable } from './measurement.ts';

/** Whether a text is an output of `ccc run --json`. Unlike it, a plan in JSON has no field `seconds` beside `ok`. */
export function isRunDocument({ text }: SourceText): boolean {
  if (!/^\s*\{/.test(text)) return false;
  const start = text.slice(0, 2000);
  return /"ok"\s*:/.test(start) && /"plan"\s*:\s*"/.test(start);
}

type Members = Readonly<Record<string, unknown>>;

/** Reads the measurements. @throws CccError 'syntax' for text that is not JSON, 'schema' for any other document and for a run with wrong results */
export function readRunDocument(source: SourceText): MeasurementTable {
  const whole = { source, start: 0, end: Math.min(1, source.text.length) };
  const fail = (message: string): never => {
    throw new CccError('schema', `${source.name}: ${message}`, whole);
  };
  const document = membersOf(parseJson(source, 'what ccc run --json prints'));
  if (document === undefined) return fail('expected what ccc run --json prints');
  if (document.ok !== true) return fail('its results were wrong, so its times say nothing');
  const rows = Array.isArray(document.sizes) ? document.sizes.map(membersOf) : [document];
  const measurements = rows.flatMap((row): readonly Measurement[] => {
    const seconds = timesOf(row);
    if (row === undefined || typeof row.size !== 'number' || !(row.size >= 0)) return fail('a row without its size');
    if (seconds.length === 0) return fail(`no times of ${row.size} bytes`);
    const { size } = row;
    return seconds.map((each) => {
      if (!(each > 0)) fail(`a time of ${each} s: no call takes no time`);
      const said = { plan: undefined, protocol: undefined, inPlace: undefined, counted: 'message' } as const;
      return { ...said, size, seconds: each, place: whole };
    });
  });
  return { measurements, collective: kindOf(document), date: undefined, notes: [] };
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** Returns the times of a row: `seconds.all` with every repetition, or the single time that a run of one size under MPI reports. */
function timesOf(row: Members | undefined): readonly number[] {
  if (typeof row?.seconds === 'number') return [row.seconds];
  const all = membersOf(row?.seconds)?.all;
  return Array.isArray(all) ? all.filter((each) => typeof each === 'number') : [];
}

function kindOf({ collective }: Members): CollectiveKind | undefined {
  const kind = membersOf(collective)?.kind;
  return collectiveKinds.find((known) => known === kind);
}
