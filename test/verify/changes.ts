/** Every way to change one value of plain data: the tests of proofs derive what they change from the plan itself, so that a new column is covered. */

/** A place in nested data: keys of objects, indices of lists and typed arrays. */
export type Path = readonly (string | number)[];

/**
 * Places of all values, each list and typed array by its first and last element, and of every key.
 * @throws Error for data that has a kind of value that is unknown here
 */
export function* placesIn(value: unknown, path: Path = []): Iterable<Path> {
  if (typeof value !== 'object' || value === null) {
    yield path;
  } else if (Array.isArray(value) || value instanceof Int32Array) {
    for (const index of new Set([0, value.length - 1])) {
      if (index >= 0 && index < value.length) yield* placesIn(value[index], [...path, index]);
    }
  } else {
    for (const [key, field] of Object.entries(value)) yield* placesIn(field, [...path, key]);
  }
}

/** Every object, list and typed array within a value, with its place. */
export function* containersIn(value: unknown, path: Path = []): Iterable<Path> {
  if (typeof value !== 'object' || value === null) return;
  yield path;
  if (value instanceof Int32Array) return;
  for (const [key, field] of Object.entries(value)) {
    yield* containersIn(field, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

/** The object at a place. @throws Error if there is none */
export function objectAt(value: unknown, path: Path): object {
  const found = path.reduce<unknown>((part, key) => Reflect.get(Object(part), key), value);
  if (typeof found !== 'object' || found === null) throw new Error(`there is no object at ${path.join('.')}`);
  return found;
}

/** Puts another value of the same type at a place. @returns a function that puts the old value back */
export function changeAt(value: unknown, path: Path): () => void {
  const owner = objectAt(value, path.slice(0, -1));
  const key = path[path.length - 1];
  const before: unknown = Reflect.get(owner, key);
  Reflect.set(owner, key, other(before));
  return () => Reflect.set(owner, key, before);
}

function other(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return value + 1;
    case 'string':
      return `${value} `;
    case 'boolean':
      return !value;
    default:
      return 1;
  }
}
