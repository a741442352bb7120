/** Checks for required fields of a document. */
import type { JsonReader } from '../../read/plan/json-reader.ts';

type Present<Fields, Key extends keyof Fields> = Fields & {
  readonly [Name in Key]-?: Exclude<Fields[Name], undefined>;
};

function has<Fields, Key extends keyof Fields>(fields: Fields, keys: readonly Key[]): fields is Present<Fields, Key> {
  return keys.every((key) => fields[key] !== undefined);
}

/**
 * Narrows the type of the fields, after checking that the required ones are present.
 * @param spelling the file's keys, if they differ from the names of the fields
 * @throws CccError 'malformed' for the first missing field
 */
export function withRequired<Fields, Key extends keyof Fields & string>(
  json: JsonReader,
  what: string,
  fields: Fields,
  keys: readonly Key[],
  start: number,
  spelling: Partial<Readonly<Record<Key, string>>> = {},
): Present<Fields, Key> {
  if (has(fields, keys)) return fields;
  const missing = keys.filter((key) => fields[key] === undefined).map((key) => `'${spelling[key] ?? key}'`);
  throw json.malformed(`${what} needs ${missing.join(' and ')}`, start);
}
