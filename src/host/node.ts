/** Node as the host: importing this module installs it. Only entry points do (the command line, `src/index.ts`, tests, benchmarks). */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { createRequire as requireFrom } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { CccError } from '../ir/diagnostic.ts';
import { type Host, installHost, type ShippedKind } from './host.ts';

/** The largest piece that is requested of the system at once. */
const blockBytes = 1 << 16;

const names = new Map<ShippedKind, readonly string[]>();

/** A file of the package: src/host, dist/host and dist/bin lie equally deep in it. */
function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

const nodeHost: Host = {
  shippedNames(kind) {
    let known = names.get(kind);
    if (known === undefined) {
      const files = readdirSync(packageFile(kind)).filter((file) => file.endsWith('.yaml'));
      known = files.map((file) => file.slice(0, -'.yaml'.length)).sort();
      names.set(kind, known);
    }
    return known;
  },
  shippedText: (kind, name) => readFileSync(packageFile(`${kind}/${name}.yaml`), 'utf8'),
  shippedTree(file) {
    const path = packageFile(`dist/kept/${file}.json`);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  },
  exists: existsSync,
  readFile,
  pathFrom: (file, path) => resolve(dirname(file), path),
  pagePart(name) {
    const path = packageFile(`dist/page/${name}`);
    if (!existsSync(path)) throw new Error(`${path} is missing: ccc was not built whole`);
    return readFileSync(path, 'utf8');
  },
  loadHighs() {
    // Without this flag V8 compiles every function twice, and short solves spend most of their time on better code that comes too late.
    setFlagsFromString('--liftoff-only');
    // The package's types describe its CommonJS form; its module form has another shape.
    const { default: load }: typeof import('highs') = requireFrom(import.meta.url)('highs');
    return load();
  },
  loadGlpk: async () => await import('glpk.js/node'),
};

installHost(nodeHost);

/** Reads block by block, so that the limit also holds for pipes and devices, which have no size. */
function readFile(path: string, limit: number): Uint8Array<ArrayBuffer> {
  const name = path === '-' ? '<stdin>' : path;
  const blocks: Uint8Array[] = [];
  let total = 0;
  try {
    const file = path === '-' ? 0 : openSync(path, 'r');
    try {
      for (;;) {
        const block = new Uint8Array(blockBytes);
        const count = readSync(file, block, 0, blockBytes, null);
        if (count === 0) break;
        total += count;
        if (total > limit) {
          throw new CccError('limit', `${name} is larger than ${limit} bytes; --limit fileBytes=… raises the limit`);
        }
        blocks.push(block.subarray(0, count));
      }
    } finally {
      if (file !== 0) closeSync(file);
    }
  } catch (error) {
    if (error instanceof CccError) throw error;
    throw new CccError('file', `cannot read ${name}: ${reasonOf(error)}`);
  }
  return joined(blocks, total);
}

function joined(blocks: readonly Uint8Array[], total: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const block of blocks) {
    bytes.set(block, at);
    at += block.length;
  }
  return bytes;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
      return 'no permission';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
