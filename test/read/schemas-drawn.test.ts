/**
 * Shipped files with one random change each: no schema refuses what its reader accepts, since editors would mark files that work.
 * The other direction does not hold in general: readers also check names, expressions and the machine that comes of a file.
 */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { CccError } from '../../src/ir/diagnostic.ts';
import { listShipped, parseScheduleFile, resolveTopology } from '../../src/read/index.ts';

const folder = new URL('../../', import.meta.url);
const ajv = new Ajv({ allowUnionTypes: true, strictTypes: false });

function validatorOf(kind: 'schedule' | 'topology'): ValidateFunction {
  return ajv.compile(JSON.parse(readFileSync(new URL(`schemas/${kind}.schema.json`, folder), 'utf8')));
}

const languages = {
  schedules: { validate: validatorOf('schedule'), read: (text: string) => parseScheduleFile({ name: 'drawn', text }) },
  topologies: {
    validate: validatorOf('topology'),
    read: (text: string) => resolveTopology('drawn.yaml', { read: () => ({ name: 'drawn', text }) }),
  },
};

type Container = Record<string, unknown>;

/** Every list and mapping in a document that is not empty; lists have their indices as keys. */
function containersIn(value: unknown): readonly Container[] {
  if (!isContainer(value)) return [];
  const inner = Object.values(value).flatMap(containersIn);
  return Object.keys(value).length === 0 ? inner : [value, ...inner];
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

const strange = [0, -1, 2.5, '', 'x', 'all', '0 -> 1', '1 us', '1 GB/s', true, null, [], {}, [1], ['x'], { x: 1 }];

/** Where something changes and what: all numbers are taken modulo what there is. */
const change = fc.record({
  file: fc.nat(),
  container: fc.nat(),
  key: fc.nat(),
  how: fc.oneof(
    fc.constant('remove' as const),
    fc.constant('rename' as const),
    fc.constantFrom(...strange).map((value) => ({ value })),
    fc.record({ from: fc.nat() }),
  ),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length];
}

/** The text of a shipped file with one change. */
function changed(text: string, { container, key, how }: Change): string {
  const document: unknown = parse(text);
  const containers = containersIn(document);
  const where = pick(containers, container);
  const name = pick(Object.keys(where), key);
  if (how === 'remove' && Array.isArray(where)) where.splice(Number(name), 1);
  else if (how === 'remove') delete where[name];
  else if (how === 'rename') {
    where[`${name}s`] = where[name];
    delete where[name];
  } else if ('value' in how) where[name] = how.value;
  else {
    // A field of another place in the file, under its own name.
    const source = pick(containers, how.from);
    const field = pick(Object.keys(source), how.from);
    where[Array.isArray(where) ? name : field] = structuredClone(source[field]);
  }
  return stringify(document, { aliasDuplicateObjects: false });
}

function isAccepted(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof CccError) return false;
    throw error;
  }
}

describe.each(['schedules', 'topologies'] as const)('the schema of %s', (kind) => {
  const { validate, read } = languages[kind];
  const names = listShipped(kind);

  it('accepts every changed file that the reader accepts', () => {
    let accepted = 0;
    const property = fc.property(change, (drawn) => {
      const text = readFileSync(new URL(`${kind}/${pick(names, drawn.file)}.yaml`, folder), 'utf8');
      const after = changed(text, drawn);
      if (!isAccepted(() => read(after))) return;
      accepted++;
      expect(validate(parse(after)), `${after}\n${ajv.errorsText(validate.errors)}`).toBe(true);
    });
    fc.assert(property, { numRuns: 200 });
    expect(accepted).toBeGreaterThan(20);
  });
});
