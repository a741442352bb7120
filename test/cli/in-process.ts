/**
 * Runs commands in this process, as `run.ts` runs them in one of their own: for many short ones, since starting a process takes longer than
 * they do. Nothing here starts workers, and there is no standard input.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { main } from '../../src/cli/main.ts';
import type { Outcome } from './run.ts';

export async function inProcess(args: readonly string[]): Promise<Outcome> {
  const written = { 1: '', 2: '' };
  const { writeSync } = fs;
  const { exitCode } = process;
  fs.writeSync = (descriptor: number, data: string | NodeJS.ArrayBufferView): number => {
    if (descriptor !== 1 && descriptor !== 2) throw new Error(`${args.join(' ')} writes to a file`);
    written[descriptor] += data;
    return Buffer.byteLength(String(data));
  };
  process.exitCode = undefined;
  syncBuiltinESMExports();
  try {
    await main([process.execPath, 'ccc', ...args]);
    return { status: Number(process.exitCode ?? 0), stdout: written[1], stderr: written[2] };
  } finally {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
    process.exitCode = exitCode;
  }
}
