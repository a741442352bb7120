/**
 * Reads the blocks of a plan's document that are not part of the plan (`topology`, `cost`, `origin` …), and checks that they have the types of the
 * format.
 */
import { dtypes } from '../../ir/dtype.ts';
import { verdicts } from '../../ir/verification.ts';
import type { JsonReader } from './json-reader.ts';

/** Reads a value, and refuses one of the wrong type. */
type Check = (json: JsonReader) => void;

/** The largest size in bytes (2⁶⁰). */
const mostBytes = 2 ** 60;

const text: Check = (json) => json.string('a text');
const texts: Check = (json) => json.list('texts', () => text(json));
const amount: Check = (json) => json.number('a number', 0);
const seconds: Check = (json) => json.number('seconds', 0);
const bytes: Check = (json) => json.integer('a number of bytes', 0, mostBytes);
const count: Check = (json) => json.integer('a number', 0, Number.MAX_SAFE_INTEGER);
const anyObject: Check = (json) => objectOf('an object', new Map())(json);

/** A reader of an object whose known members must have the right types; other members are accepted as they are. */
function objectOf(what: string, members: ReadonlyMap<string, Check>): Check {
  return (json) => json.object(what, (key) => (members.get(key) ?? skipped)(json));
}

const skipped: Check = (json) => json.skip();

const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['size', bytes],
  ['protocol', text],
  ['instances', (json) => json.integer('a number of lanes', 1)],
  ['dtype', (json) => json.word('an element type', dtypes)],
  [
    'topology',
    objectOf(
      'a topology',
      new Map<string, Check>([
        ['name', text],
        ['digest', text],
        ['notes', texts],
        ['chipMap', (json) => json.list('the node of each rank', () => json.integer('a node', 0))],
      ]),
    ),
  ],
  [
    'cost',
    objectOf(
      'a cost',
      new Map<string, Check>([
        ['seconds', seconds],
        ['messages', count],
        ['bytesMoved', amount],
        ['bytesOnLinks', amount],
        ['stretch', amount],
      ]),
    ),
  ],
  [
    'bound',
    objectOf(
      'a bound',
      new Map<string, Check>([
        ['seconds', seconds],
        ['optimality', amount],
      ]),
    ),
  ],
  [
    'verification',
    objectOf(
      'a verification',
      new Map<string, Check>([
        ['verdict', (json) => json.word('a verdict', verdicts)],
        ['inflight', inflight],
        ['smallestInflight', count],
        ['bitwise', (json) => json.boolean('bitwise')],
        ['proved', texts],
        ['checkedBy', text],
      ]),
    ),
  ],
  ['origin', anyObject],
]);

function inflight(json: JsonReader): void {
  if (json.isText()) json.word('a number of transfers, or unbounded', ['unbounded']);
  else json.integer('a number of transfers', 0);
}

/**
 * Reads a block into a JavaScript value.
 * @throws CccError 'malformed' if the format defines the block and its content does not fit that definition
 */
export function readAddedBlock(json: JsonReader, key: string): unknown {
  const check = checks.get(key);
  if (check === undefined) return json.any();
  const start = json.postpone();
  json.revisit(start, () => check(json));
  let value: unknown;
  json.revisit(start, () => {
    value = json.any();
  });
  return value;
}
