/** Plans as emitted TypeScript, for the tests of that format. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import type { PlanBundle } from '../../../src/emit/index.ts';
import {
  type Collective,
  type CollectiveKind,
  type Dtype,
  resolveTopology,
  searchDefaults,
  searchPlan,
} from '../../../src/index.ts';
import { messageBytes } from '../../../src/ir/shards.ts';
import { emitters } from '../../../src/targets/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { emptyFolder } from '../../temporary.ts';

const root = new URL('../../../', import.meta.url).pathname;

/** What is compiled; what is left out is as usual. */
export interface Wanted extends Partial<Omit<Collective, 'kind' | 'ranks' | 'chunks'>> {
  readonly topology?: string;
  readonly dtype?: Dtype;
  readonly algorithm?: string;
  readonly bulks?: number;
  readonly engine?: string;
}

/** A plan of a textbook algorithm for 64 MiB. */
export function planOf(kind: CollectiveKind, wanted: Wanted = {}): PlanBundle {
  const { topology: name = 'ring:4', dtype = 'f32', algorithm, bulks = 1, engine = 'library', ...rest } = wanted;
  const topology = resolveTopology(name);
  const ranks = topology.chips.length;
  const collective: Collective = collectiveOf(kind, ranks, rest);
  const size = collective.counts === undefined ? 2 ** 26 : messageBytes(kind, ranks, collective.counts);
  const defaults = { ...searchDefaults, engine, bulks };
  return searchPlan({ ...defaults, collective, topology, size: kind === 'barrier' ? 4 : size, dtype, algorithm })
    .bundle;
}

export function emitterOfTypeScript() {
  const emitter = emitters.find(({ name }) => name === 'ts');
  if (emitter === undefined) throw new Error('there is no emitter ts');
  return emitter;
}

/** The emitted file. */
export async function typescriptOf(bundle: PlanBundle): Promise<string> {
  return [...(await emitterOfTypeScript().emit(bundle))].join('');
}

/** A folder for emitted files, in which they are ECMAScript modules. */
export function moduleFolder(): string {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  return folder;
}

/** Writes an emitted file and returns its path. */
export function written(text: string, name = 'plan.ts', folder = moduleFolder()): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

interface Outcome {
  readonly status: number;
  /** On standard output and standard error. */
  readonly printed: string;
}

/** Runs a command of the development dependencies. */
export function runTool(tool: 'tsx' | 'tsc' | 'biome', args: readonly string[]): Promise<Outcome> {
  return runProgram(join(root, 'node_modules/.bin', tool), args);
}

/** Runs an emitted file as `tsx` does, types taken out by the same esbuild, without what starting that takes. */
export function runEmitted(text: string, args: readonly string[]): Promise<Outcome> {
  const { code } = transformSync(text, { loader: 'ts', format: 'esm', target: 'node20' });
  return runProgram(process.execPath, [written(code, 'plan.mjs'), ...args]);
}

function runProgram(program: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: 1_000_000 }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? 1), printed: stdout + stderr });
    });
  });
}
