/** Reads the output of `ccc tune --json` for a page. */
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { PageTuning } from './page-document.ts';

/** The tuning in a text; undefined if the text is something else. @throws CccError 'schema' for a tuning over numbers of ranks, or one with wrong fields */
export function readTuning(source: SourceText): PageTuning | undefined {
  if (!/^\s*\{\s*"ok"/.test(source.text)) return undefined;
  const document = parsed(source.text);
  if (!isRecord(document)) return undefined;
  if (Array.isArray(document.topologies)) {
    throw new CccError(
      'schema',
      `${source.name} is a tuning over numbers of ranks: a page shows one of a single machine`,
    );
  }
  if (!Array.isArray(document.ranges) || !Array.isArray(document.sizes)) return undefined;
  const read = new Fields(source.name);
  const plans = read.list(document.plans, 'plans').map((plan) => read.text(plan, 'name'));
  const algorithms = read.list(document.plans, 'plans').map((plan) => read.text(plan, 'algorithm'));
  return {
    collective: read.text(document, 'collective'),
    topology: read.text(document, 'topology'),
    sizes: document.sizes.map((row) => read.number(row, 'size')),
    bound: document.sizes.map((row) => read.number(row, 'bound')),
    ranges: document.ranges.map((range) => {
      const plan = plans[read.number(range, 'plan')];
      if (plan === undefined) throw read.wrong('plan');
      return { from: read.number(range, 'from'), to: read.number(range, 'to'), plan };
    }),
    curves: read.list(document.algorithms, 'algorithms').map((row) => {
      const algorithm = read.text(row, 'algorithm');
      const times = isRecord(row) ? read.list(row.seconds, 'seconds') : [];
      const seconds = times.map((value) => (typeof value === 'number' && Number.isFinite(value) ? value : 0));
      return { algorithm, inUse: algorithms.includes(algorithm), seconds };
    }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether all fields have the right types. */
class Fields {
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  list(value: unknown, name: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw this.wrong(name);
  }

  text(record: unknown, name: string): string {
    const value = isRecord(record) ? record[name] : undefined;
    if (typeof value === 'string') return value;
    throw this.wrong(name);
  }

  number(record: unknown, name: string): number {
    const value = isRecord(record) ? record[name] : undefined;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    throw this.wrong(name);
  }

  wrong(name: string): CccError {
    return new CccError('schema', `${this.file}: '${name}' is not what ccc tune --json writes`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
