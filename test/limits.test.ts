/** Holds docs/limits.md to the code: every number that steers a search has its place there, and there are no more than 200. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = new URL('../src', import.meta.url).pathname;
const page = readFileSync(new URL('../docs/limits.md', import.meta.url), 'utf8');

const rooms = ['compile', 'optimize', 'pricing', 'process-groups', 'synth'];

/** What rounding, formats, other programs and reports ask for: no search takes another way for these. */
const others: readonly RegExp[] = [
  /^ir\/effort partOfWork\.full/,
  /^compile\/(comparing veryLarge|search-limits operationsPerTransfer)/,
  /^pricing\/price fewTransfers/,
  /^synth\/.* (rounding\w*|same\w*|never|perLink|mostCounted|leastPrice|leastSaving)$/,
  /^synth\/list\/events\/index (usual|oneByOne)\./,
  /^synth\/nccl\//,
  /^synth\/(rounds\/schedule usual|scans\/(chain|chunk-program) (input|data)\.)/,
];

const number = /^-?\d[\d_.e-]*(?: (?:\*\*|\*|<<|-|\/) -?\d[\d_.e-]*)?$/;

/** Constants at the outermost level of a file that are numbers, lists of numbers, or fields that are numbers, with their values. */
function numbersIn(text: string): string[] {
  const found: string[] = [];
  const plain = text.replaceAll(/\/\*\*.*?\*\//gs, '');
  for (const [, name, value] of plain.matchAll(/^(?:export )?const (\w+)(?:: [^=]+)? = ([^;]*?)(?: as const)?;$/gms)) {
    if (number.test(value)) found.push(`${name} ${value}`);
    const items = /^\[([^\]]*)\]$/s
      .exec(value)?.[1]
      .split(',')
      .map((item) => item.trim());
    if (items?.every((item) => number.test(item))) found.push(`${name} ${items.join(' ')}`);
    if (value.startsWith('{')) found.push(...fieldsOf(name, value));
  }
  return found;
}

function fieldsOf(name: string, value: string): string[] {
  const path = [name];
  const found: string[] = [];
  for (const [, key, opens, field, closes] of value.matchAll(/(\w+): (?:(\{)|([^,{}]+))|(\})/g)) {
    if (opens !== undefined) path.push(key);
    else if (closes !== undefined) path.pop();
    else if (number.test(field.trim())) found.push(`${[...path, key].join('.')} ${field.trim()}`);
  }
  return found;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : path.endsWith('.ts') ? [path] : [];
  });
}

/** By file, what steers a search there. */
function limitsOf(file: string): string[] {
  const name = file.slice(source.length + 1, -'.ts'.length);
  const isOther = (one: string): boolean => others.some((kind) => kind.test(`${name} ${one.split(' ')[0]}`));
  return numbersIn(readFileSync(file, 'utf8')).filter((one) => !isOther(one));
}

describe('limits of the search', () => {
  const files = [join(source, 'ir/effort.ts'), ...rooms.flatMap((room) => filesIn(join(source, room)).sort())];

  it('finds numbers, lists and fields', () => {
    const text =
      "const a = 1 << 3;\nexport const b = [1, 2] as const;\nconst c = {\n  /** x, 5: y */\n  d: 2e-6,\n  e: { f: 1 / 8 },\n} as const;\nconst g = a + 1;\nconst h = 'x';\n";
    expect(numbersIn(text)).toEqual(['a 1 << 3', 'b 1 2', 'c.d 2e-6', 'c.e.f 1 / 8']);
  });

  it.each(files.filter((file) => limitsOf(file).length > 0).map((file) => [file.slice(source.length + 1, -3), file]))(
    'are all on the page: %s',
    (name, file) => {
      expect(page).toContain(`\n${name}: ${limitsOf(file).join(', ')}\n`);
    },
  );

  it('are two hundred at most', () => {
    expect(files.flatMap(limitsOf).length).toBeLessThanOrEqual(200);
  });

  it('has nothing on the page that is gone', () => {
    const named = [...page.matchAll(/^([\w-]+\/[\w/-]+): /gm)].map(([, name]) => name);
    const known = files.filter((file) => limitsOf(file).length > 0).map((file) => file.slice(source.length + 1, -3));
    expect(named.sort()).toEqual(known.sort());
  });
});
