/**
 * The command `ccc-check plan.json`: the kernel and nothing else, for users who trust only a checker that they can read. It is one file without
 * dependencies; its exit codes are those of `ccc`.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkPlan } from '../kernel/check.ts';
import { readPlanFile } from '../kernel/read.ts';
import { Refusal } from '../kernel/refusal.ts';
import { explained } from '../verify/explain/refusal.ts';

const usage = `usage: ccc-check [--inflight N|unbounded] [--ownership event|strict] [--bitwise] plan.json|-

Proves that every interleaving of a plan (format ccc-plan, docs/plan-format.md) ends with the right result, or says why not.
--inflight N          transfers that a connection buffers, 0 is rendezvous; default: what the plan says, else unbounded
--ownership strict    buffers belong to an operation from posting to completion (MPI)
--bitwise             ranks that combine a chunk with different trees are an error
Exit codes: 0 proved; 1 not correct; 2 bad usage or unreadable file; 3 too large.
`;

interface Options {
  readonly path: string;
  readonly inflight: number | 'unbounded' | undefined;
  readonly ownership: 'event' | 'strict';
  readonly bitwise: boolean;
}

/** Runs the command that `argv` (as Node gives it) asks for and sets the process's exit code. */
export function checkMain(argv: readonly string[]): void {
  const [code, message] = outcomeOf(argv.slice(2));
  (code === 0 ? process.stdout : process.stderr).write(message);
  process.exitCode = code;
}

function outcomeOf(args: string[]): readonly [code: number, message: string] {
  const options = optionsFrom(args);
  if (options === undefined) return [2, usage];
  try {
    return verdictOn(readFileSync(options.path === '-' ? 0 : options.path, 'utf8'), options);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return [2, 'ccc-check: the file cannot be read\n'];
    throw error;
  }
}

function verdictOn(text: string, { inflight: wanted, ownership, bitwise }: Options): readonly [number, string] {
  let tables: ReturnType<typeof readPlanFile> | undefined;
  try {
    if (text.length > 2 ** 27) throw new Refusal('limit', 'a text of more than 2 ** 27 characters');
    const plan = readPlanFile(JSON.parse(text));
    tables = plan;
    const inflight = wanted === 'unbounded' ? undefined : (wanted ?? plan.inflight);
    const isSame = checkPlan(plan, { inflight, ownership });
    if (bitwise && isSame === false) return [1, 'not proved: ranks combine a chunk with different trees\n'];
    const bits = isSame === undefined ? '' : `; ${isSame ? 'same' : 'perhaps other'} bits on all ranks`;
    return [0, `proved: ${inflight ?? 'any number of'} transfers in flight, ${ownership} ownership${bits}\n`];
  } catch (error) {
    if (error instanceof SyntaxError) return [1, 'not proved: malformed: not JSON\n'];
    if (!(error instanceof Refusal)) throw error;
    const message = tables === undefined ? error.message : explained(error, tables);
    return [error.verdict === 'limit' ? 3 : 1, `not proved: ${message}\n`];
  }
}

/** Parses the arguments; returns undefined if they do not fit `usage`. */
function optionsFrom(args: string[]): Options | undefined {
  const text = { type: 'string' } as const;
  const options = { inflight: text, ownership: text, bitwise: { type: 'boolean' } } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const { inflight, ownership = 'event', bitwise = false } = values;
    const isNumber = inflight === undefined || inflight === 'unbounded' || /^\d{1,9}$/.test(inflight);
    if (!isNumber || (ownership !== 'event' && ownership !== 'strict') || positionals.length !== 1) return undefined;
    return {
      ...{ path: positionals[0], ownership, bitwise },
      inflight: inflight === 'unbounded' || inflight === undefined ? inflight : Number(inflight),
    };
  } catch {
    return undefined;
  }
}
