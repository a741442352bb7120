/** Saves what reproduces an internal error, so that whoever reports the error can send the file along. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unprovedText } from '../emit/json.ts';
import { ContradictedBound } from '../ir/report.ts';
import { Disagreement } from '../verify/kernel.ts';
import { packageVersion } from './version.ts';

/**
 * The error with the path of the file that reproduces it in its message; other errors as they are. The file of a disagreement is the plan. The file
 * of a contradicted bound holds the version, the command line, the request, the topology, the plan, its time and the certificates.
 *
 * To be called in the thread that threw the error: only the message of an error reaches other threads.
 */
export function withMaterialSaved(error: unknown): unknown {
  const material = materialOf(error);
  if (material === undefined || !(error instanceof Error)) return error;
  try {
    const path = join(mkdtempSync(join(tmpdir(), 'ccc-')), material.name);
    writeFileSync(path, material.text);
    return new Error(`${error.message}; what reproduces this is in ${path}`);
  } catch (second) {
    return new Error(`${error.message}; what reproduces this could not be saved: ${String(second)}`);
  }
}

function materialOf(error: unknown): { readonly name: string; readonly text: string } | undefined {
  if (error instanceof Disagreement) {
    return { name: 'disagreement.json', text: [...unprovedText(error.plan)].join('') };
  }
  if (error instanceof ContradictedBound) {
    const { plan, ...contradiction } = error.contradiction;
    const command = process.argv.slice(2);
    const document = { version: packageVersion(), command, ...contradiction, plan: JSON.parse(plan) };
    return { name: 'contradicted-bound.json', text: `${JSON.stringify(document, withInfinity, 1)}\n` };
  }
  return undefined;
}

/** JSON has no infinite numbers, such as the bandwidth of a link inside a switch: they are written as the text "Infinity". */
function withInfinity(_: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
}
