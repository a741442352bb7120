/** Options that several commands share: how they are declared, and how their texts become values. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CollectiveKind, collectiveKinds, type ReductionOperator, reductionOperators } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Dtype, dtypes } from '../ir/dtype.ts';
import { defaultLimits, type Limits } from '../ir/limits.ts';
import { type Bytes, parseBytes } from '../ir/units.ts';
import { nearestNames } from '../read/nearest.ts';
import type { AnyCollectiveSpec } from '../session/collectives.ts';
import type { MachineOptions } from '../session/machine/machine-options.ts';

/** Adds complete example commands to the output of `--help`. */
export function addExamples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

/** Returns a parser of whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least) {
      throw new InvalidArgumentError(`expected a whole number of at least ${least}`);
    }
    if (!(value <= most)) {
      throw new InvalidArgumentError(`expected at most ${most === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : most}`);
    }
    return value;
  };
}

/** Parses a whole number of bytes, 0 included. */
export function bytes(text: string): Bytes {
  const result = parseBytes(text);
  if ('expected' in result) throw new InvalidArgumentError(`expected ${result.expected}`);
  if (result.value < 0) throw new InvalidArgumentError('expected an amount of at least 0');
  if (result.value > 2 ** 60) throw new InvalidArgumentError('expected at most 2^60 bytes (1048576 TiB)');
  const whole = Math.round(result.value);
  // Rounding of binary fractions must not matter: 1.1 GB is a whole number of bytes.
  if (Math.abs(result.value - whole) > 1e-9 * result.value) {
    throw new InvalidArgumentError(`expected a whole number of bytes, not ${result.value}`);
  }
  return whole;
}

/** Parses a range such as `1KiB..1GiB`. Both ends are at least one byte. */
export function sizeRange(text: string): readonly [Bytes, Bytes] {
  const [first, last, ...rest] = text.split('..').map((part) => bytes(part.trim()));
  if (last === undefined || rest.length > 0 || first < 1 || last < first) {
    throw new InvalidArgumentError('expected two sizes of at least one byte, such as 1KiB..1GiB');
  }
  return [first, last];
}

/** Ten days. Node's timers hold up to 2³¹ ms (about 24.8 days), and the last timer that is set for a limit fires after twice the limit. */
const longestLimit = 10 * 24 * 60 * 60_000;
const perUnit: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000 };

/** Parses a duration such as `10s`, `500 ms` or `10` (seconds) and returns milliseconds. */
export function milliseconds(text: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|)\s*$/.exec(text);
  if (match === null) throw new InvalidArgumentError('expected a duration such as 10s, 500ms, 2min or 10 (seconds)');
  const result = Number(match[1]) * perUnit[match[2] || 's'];
  if (result > longestLimit) throw new InvalidArgumentError('expected at most 10 days (14400min)');
  return result;
}

/** Parses `name=value` with a whole number, and adds it to the values of earlier occurrences of the option. */
export function assignment(text: string, before: Readonly<Record<string, number>> = {}): Record<string, number> {
  const match = /^\s*([A-Za-z_]\w*)\s*=\s*(-?\d+)\s*$/.exec(text);
  if (match === null) throw new InvalidArgumentError('expected name=value with a whole number, such as group=4');
  const value = Number(match[2]);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('expected a value of at most 2^53 - 1');
  return { ...before, [match[1]]: value };
}

/** Numbers of ranks, both ends included. */
export interface RankRangeOption {
  readonly first: number;
  readonly last: number;
}

/** `4` or `2..64`, both ends included. */
export function rankRange(text: string): RankRangeOption {
  const match = /^\s*(\d+)\s*(?:\.\.\s*(\d+))?\s*$/.exec(text);
  const first = Number(match?.[1]);
  const last = Number(match?.[2] ?? match?.[1]);
  if (match === null || first < 1 || last < first) throw new InvalidArgumentError('expected a range such as 2..64');
  return { first, last };
}

/** Collects the texts of an option that may be repeated. */
export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Returns a parser that accepts one of a set of words. */
export function oneOf<Word extends string>(words: readonly Word[], what: string): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) {
      throw new CccError('unknown-name', `'${text}' is no ${what}; ${nearestNames(text, words)}`);
    }
    return found;
  };
}

/** The parsed topology options of a command. */
export type TopologyOptions = MachineOptions;

/** Options that change a topology, so that they need one. */
const topologyEdits = [
  'map',
  'without',
  'group',
  'link',
  'gamma',
  'overlap',
  'protocol',
  'gpu',
  'boxes',
  'links',
] as const;

/** Checks the options of a command that works without a topology. @throws CccError 'usage' if an option would change a topology and none is given */
export function checkTopologyIsGiven(options: TopologyOptions): void {
  const edit = topologyEdits.find((name) => options[name] !== undefined);
  if (options.topo !== undefined || edit === undefined) return;
  throw new CccError('usage', `--${edit} changes a topology: say which with --topo`);
}

/** Adds `--topo` and the options that change a topology's numbers, links and rank placement. */
export function addTopologyOptions(command: Command): Command {
  return command
    .optionsGroup('Machine:')
    .option(
      '--topo <topology>',
      'a shipped topology (sg2260x4, ring:8, torus:4x4 …), a YAML file or a dump of NCCL, nvidia-smi … (docs/machines.md)',
    )
    .option('--map <chips>', 'the chip of each rank, such as 2,0,1,3')
    .option(
      '--without <part>',
      'takes link:A-B, chip:R, switch:K or a node by its name away; may be repeated',
      repeated,
    )
    .option(
      '--group <chips>',
      'the collective of these chips only, such as 0,2,5, or boxes: those of the topology; compile takes several',
      repeated,
    )
    .option('--link <latency,bandwidth>', 'sets all links: 0.5us,50GiB/s[,blocking|pipelined]')
    .option('--gamma <rate>', "sets every chip's reduce throughput, such as 512GB/s; inf: reducing takes no time")
    .addOption(
      new Option('--overlap <on|off>', 'whether reducing and communicating overlap').argParser(
        oneOf(['on', 'off'], 'setting of --overlap'),
      ),
    )
    .option(
      '--protocol <name>',
      'how messages move: one that the machine has (LL, Simple …), auto for the best of them (compile, tune), or none',
    )
    .option('--gpu <name>', 'for nvidia-smi topo -m: which GPUs these are, such as h100')
    .option(
      '--boxes <n>',
      'for the dump of a host: so many of them on a switch over their NICs',
      wholeNumber(1, 2 ** 16),
    )
    .addOption(
      new Option('--links <which>', 'for the dump of a host: nvlink (what NCCL uses) or all').argParser(
        oneOf(['nvlink', 'all'], 'choice of links'),
      ),
    );
}

/** The parsed options that describe a collective. */
export interface CollectiveOptions {
  readonly root: number;
  readonly op: ReductionOperator;
  readonly ordered?: boolean;
  readonly inPlace?: boolean;
  readonly set?: Readonly<Record<string, number>>;
  /** Only for commands that call `addSizeOptions`. */
  readonly counts?: string;
  readonly limit?: Readonly<Record<string, number>>;
}

/** Adds the options that describe a collective. */
export function addCollectiveOptions(command: Command): Command {
  return command
    .optionsGroup('Collective:')
    .option('--root <rank>', 'root of broadcast, reduce, scatter, gather', wholeNumber(0), 0)
    .addOption(
      new Option('--op <operator>', reductionOperators.join(' '))
        .default('sum')
        .argParser(oneOf(reductionOperators, 'operator')),
    )
    .option('--ordered', 'the operator does not commute: keep rank order')
    .option('--in-place', 'input and output share memory')
    .option('--set <name=value>', "sets a schedule's parameter; may be repeated", assignment)
    .option('--limit <name=value>', `raises a limit: ${Object.keys(defaultLimits).join(', ')}`, assignment);
}

/** Adds `--size` (M) and `--counts` (the sizes of the shards). */
export function addSizeOptions(command: Command): Command {
  return command
    .optionsGroup('Size:')
    .addOption(
      new Option('--size <bytes>', 'message size M, such as 64MiB (default: 64MiB; a barrier: one element)')
        .argParser(bytes)
        .conflicts('counts'),
    )
    .option('--counts <list|file>', 'bytes of each shard where they differ: 1MiB,0,3MiB; alltoall: N rows of N');
}

/** The parsed options of commands that may run for long. */
export interface LongRunOptions {
  /** In milliseconds. */
  readonly timeLimit?: number;
  readonly progress?: boolean;
}

/** Adds `--time-limit` and `--progress`. */
export function addLongRunOptions(command: Command): Command {
  return command
    .optionsGroup('Search:')
    .option('--time-limit <duration>', 'ends the search after that long, with the best so far', milliseconds)
    .option('--progress', 'shows progress even where standard error is no terminal');
}

/** Adds `--dtype`. */
export function addDtypeOption(command: Command): Command {
  return command
    .optionsGroup('Size:')
    .addOption(new Option('--dtype <type>', dtypes.join(' ')).default('f32').argParser(oneOf(dtypes, 'element type')));
}

/** Returns the default limits with those raised by `--limit`. */
export function limitsFrom(raised: Readonly<Record<string, number>> | undefined): Limits {
  const names = Object.keys(defaultLimits);
  for (const [name, value] of Object.entries(raised ?? {})) {
    if (!names.includes(name))
      throw new CccError('unknown-name', `'${name}' is no limit; ${nearestNames(name, names)}`);
    if (value < 1) throw new CccError('range', `--limit ${name} must be at least 1`);
  }
  return { ...defaultLimits, ...raised };
}

/** Collectives whose name says everything, so that they need no schedule file. */
export const nameableKinds = collectiveKinds.filter((kind) => kind !== 'custom');

/** MPI's names for collectives with counts, such as allgatherv. */
const kindsWithCounts: ReadonlyMap<string, CollectiveKind> = new Map([
  ['allgatherv', 'allgather'],
  ['reducescatterv', 'reducescatter'],
  ['scatterv', 'scatter'],
  ['gatherv', 'gather'],
  ['alltoallv', 'alltoall'],
]);

/**
 * Returns the kind of collective that a command's argument names. `custom` means the one that the given schedule file defines.
 * @throws CccError 'unknown-name', 'usage' for a name with counts (such as `allgatherv`) without `--counts`
 */
export function collectiveKindFrom(
  text: string,
  given: { readonly algorithm?: string; readonly counts?: string } = {},
): CollectiveKind {
  const counted = kindsWithCounts.get(text);
  if (counted !== undefined) {
    if (given.counts !== undefined) return counted;
    throw new CccError('usage', `${text} needs --counts, the bytes of each shard; ${counted} is the one without`);
  }
  if (text !== 'custom') return oneOf(nameableKinds, 'collective')(text);
  if (given.algorithm !== undefined) return text;
  throw new CccError('usage', 'a custom collective is defined in a schedule file: compile it with --algorithm FILE');
}

/** Converts the collective and size options of a command to the argument of the constructors of collectives. @throws CccError as `readCounts` */
export async function specFrom(
  options: CollectiveOptions & { readonly size?: Bytes; readonly dtype?: Dtype },
): Promise<AnyCollectiveSpec> {
  const { root, op, ordered, inPlace, size, dtype, counts } = options;
  const spec = { root, op, ordered, inPlace, size, dtype };
  if (counts === undefined) return spec;
  const { readCounts } = await import('../read/counts.ts');
  return { ...spec, counts: readCounts(counts, limitsFrom(options.limit)) };
}
