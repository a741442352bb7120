/** Holds the code to the floor plan of docs/architecture.md: which room may import which, no circles, one maker of proofs. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = new URL('../src', import.meta.url).pathname;

const aboveGround = ['passes', 'lower', 'verify', 'graph', 'model', 'bounds', 'certificates', 'emit', 'run', 'solver'];
/** What the flow is made of, and what those that run the flow again and again need. */
const flow = ['ir', ...aboveGround, 'read', 'synth'];
/** What compact plans are made and judged with; nobody else knows of them but who asks for them. */
const compact = ['ir', ...aboveGround, 'read', 'synth'];
const asksForCompact = (file: string): boolean =>
  ['jobs/compact.ts', 'session/compile/compact-plan.ts', 'session/machine/symmetric-machine.ts'].includes(file) ||
  file.startsWith('cli/compact/');
const everything = [
  ...flow,
  'host',
  'mscclpp',
  'targets',
  'search',
  'process-groups',
  'jobs',
  'tune',
  'optimize',
  'view',
  'calibrate',
];

/** What each room may import beside itself. Files directly in src are the public API. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  ir: [],
  kernel: [],
  // What the system provides: the one room below the entry points that knows Node.
  host: ['ir', 'generated'],
  // Declarations of modules that the build writes.
  generated: [],
  ...Object.fromEntries(aboveGround.map((room) => [room, ['ir']])),
  verify: ['ir', 'kernel'],
  // What is written or run is what the kernel has accepted: the proof is opened there.
  emit: ['ir', 'verify'],
  run: ['ir', 'verify'],
  // What a machine asks of schedules is seen to before they become plans.
  lower: ['ir', 'passes'],
  // Schedule files reverse and compose others.
  read: ['ir', 'passes', 'host'],
  solver: ['ir', 'host'],
  // The checker of certificates shares nothing with the bounds that write them; graph algorithms know no collective.
  model: ['ir', 'graph'],
  bounds: ['ir', 'graph'],
  synth: ['ir', 'read', 'graph', 'model', 'bounds', 'passes', 'solver'],
  view: ['ir', 'model', 'host'],
  search: flow,
  compact,
  // One target that is read, checked, written and timed; it shares JSON reading, findings and the contract of emitters.
  mscclpp: ['ir', 'read', 'verify', 'emit'],
  // The registry of emitters stands above all rooms that write a target.
  targets: ['ir', 'emit', 'mscclpp'],
  jobs: [...flow, 'compact', 'mscclpp'],
  'process-groups': [...flow, 'search'],
  tune: [...flow, 'search'],
  optimize: [...flow, 'search', 'jobs'],
  calibrate: [...flow, 'jobs'],
  // What commands and programs ask for: the one flow from a request to an outcome.
  session: [...everything, 'compact', 'kernel'],
  api: [...everything, 'session'],
  cli: [...everything, 'session', 'compact', 'kernel'],
};

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

function roomOf(file: string): string {
  return file.includes('/') ? file.split('/')[0] : 'api';
}

/** Project files that a file imports, by static or dynamic import; at run time without types. */
function importsOf(file: string, when?: 'at run time'): string[] {
  const all = readFileSync(join(source, file), 'utf8');
  const text = when === undefined ? all : all.replaceAll(/(?:import|export) type [^;]*;|typeof import\([^)]*\)/g, '');
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]);
  return targets.map((target) => normalize(relative(source, join(source, dirname(file), target))));
}

describe('the floor plan', () => {
  it('knows every room', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => mayImport[room] === undefined)).toEqual([]);
  });

  it('has no import that runs upwards or between rooms of one floor', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !target.startsWith('..'))
        .filter((target) => roomOf(target) !== roomOf(file) && !mayImport[roomOf(file)]?.includes(roomOf(target)))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps compact plans in a slice of their own, in which what judges them knows nothing of what makes them', () => {
    const inside = files.filter((file) => roomOf(file) === 'compact');
    const importing = (from: readonly string[], wrong: (target: string) => boolean): string[] =>
      from.flatMap((file) =>
        importsOf(file)
          .filter(wrong)
          .map((target) => `${file} → ${target}`),
      );
    const outside = files.filter((file) => roomOf(file) !== 'compact' && !asksForCompact(file));
    expect(importing(outside, (target) => target.startsWith('compact/'))).toEqual([]);
    const judges = inside.filter((file) => /^compact\/(verify\/|cost\/certificate-check)/.test(file));
    expect(judges.length).toBeGreaterThan(10);
    const allowed = /^(ir|kernel|verify|compact\/verify|certificates)\//;
    expect(importing(judges, (target) => !allowed.test(target))).toEqual([]);
  });

  it('has no import circles', () => {
    const finished = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (finished.has(file) || path.includes(file)) return;
      for (const target of importsOf(file)) if (files.includes(target)) visit(target, [...path, file]);
      finished.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('loads no engine to verify', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const target of importsOf(file, 'at run time')) load(target);
    };
    load('cli/commands/verify.ts');
    expect(loaded).toContain('verify/verify.ts');
    expect([...loaded].filter((file) => ['synth', 'search'].includes(roomOf(file)))).toEqual([]);
  });

  it('makes proofs in one file, those of compact plans in another, and casts nothing to them', () => {
    const makers = files.filter((file) =>
      /\bas (?:unknown as )?Proved(?:Compact)?Plan\b|\bnew Proved(?:Compact)?Plan\(/.test(
        readFileSync(join(source, file), 'utf8'),
      ),
    );
    expect(makers.sort()).toEqual(['compact/verify/prove.ts', 'verify/prove.ts']);
  });

  it('prints in src/cli only', () => {
    // Examples in comments may print.
    const codeOf = (file: string): string => readFileSync(join(source, file), 'utf8').replaceAll(/^ \* .*$/gm, '');
    const printers = files.filter((file) => /\bconsole\.|process\.std(out|err)\b/.test(codeOf(file)));
    expect(printers.filter((file) => roomOf(file) !== 'cli')).toEqual([]);
  });
});
