/**
 * Determines for which machine, size and element type a plan from a file is timed, and times it. The caller's options come first, then the plan's
 * document, then defaults.
 */

import type { PlanBundle } from '../emit/index.ts';
import type { Collective } from '../ir/collective.ts';
import { type Dtype, dtypeBytes, dtypes } from '../ir/dtype.ts';
import { oneLine } from '../ir/plain-text.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import { Routes } from '../ir/routes.ts';
import { messageBytes } from '../ir/shards.ts';
import { ranksOf, type Topology, withProtocol } from '../ir/topology.ts';
import { type Bytes, defaultMessageSize, formatBytes, formatSeconds } from '../ir/units.ts';
import { simulate } from '../model/index.ts';
import { claimedMachine, type DocumentBlocks, isRecord } from './claims.ts';

/** The caller's options; the file determines those that are left out. */
export interface TimingWish {
  readonly topology?: Topology | undefined;
  readonly size?: Bytes | undefined;
  readonly dtype?: Dtype | undefined;
}

/** The machine, size and element type for which a plan is timed, and where they come from, for display. */
export interface TimingTarget<Machine = Topology> {
  readonly topology: Machine | undefined;
  /** M in bytes; undefined only if no machine is known either. */
  readonly size: Bytes | undefined;
  readonly dtype: Dtype | undefined;
  /** For example `size and topology from the plan`; empty if the caller specified everything. */
  readonly sources: string;
}

/**
 * The target for a plan. The topology that a document names is used if it is a shipped one with the same digest.
 * @param blocks the blocks of the plan's document, or an empty object
 */
export function timingTargetOf(collective: Collective, blocks: DocumentBlocks, wish: TimingWish): TimingTarget {
  return timingTargetOn(
    underProtocol(wish.topology ?? shippedMachine(blocks, collective), blocks.protocol),
    collective,
    blocks,
    wish,
  );
}

/** The target for a machine that has been resolved already. @param wish the caller's options, which also show whether it specified the machine */
export function timingTargetOn<Machine>(
  topology: Machine | undefined,
  collective: Collective,
  blocks: DocumentBlocks,
  wish: Omit<TimingWish, 'topology'> & { readonly topology?: Machine | undefined },
): TimingTarget<Machine> {
  const stated = statedSize(collective, blocks);
  const dtype = wish.dtype ?? dtypes.find((name) => name === blocks.dtype);
  const known = wish.size ?? stated;
  const size = topology === undefined ? known : (known ?? assumedSize(collective, dtype));
  const ofPlan = [
    ...(wish.size === undefined && stated !== undefined ? ['size'] : []),
    ...(wish.dtype === undefined && dtype !== undefined ? ['dtype'] : []),
    ...(wish.topology === undefined && topology !== undefined ? ['topology'] : []),
  ];
  const fromPlan = ofPlan.length === 0 ? [] : [`${listed(ofPlan)} from the plan`];
  const fromNowhere = known === undefined && size !== undefined ? ['the size is assumed: --size says another'] : [];
  return { topology, size, dtype, sources: [...fromPlan, ...fromNowhere].join('; ') };
}

/** M in bytes for a plan without any stated size. */
export function assumedSize({ kind }: Collective, dtype: Dtype | undefined): Bytes {
  return kind === 'barrier' ? dtypeBytes[dtype ?? 'f32'] : defaultMessageSize;
}

/** The machine with the protocol that a file states, if the machine has it and no other one has been chosen. */
export function underProtocol(machine: Topology | undefined, stated: unknown): Topology | undefined {
  if (machine?.protocol !== undefined || typeof stated !== 'string') return machine;
  const names = Object.keys(machine?.protocols ?? {});
  const isKnown = names.some((name) => name.toLowerCase() === stated.toLowerCase());
  return machine !== undefined && isKnown ? withProtocol(machine, stated) : machine;
}

function shippedMachine({ topology: block }: DocumentBlocks, { ranks }: Collective): Topology | undefined {
  const machine = isRecord(block) ? claimedMachine(block, undefined) : undefined;
  return machine !== undefined && ranksOf(machine) === ranks ? machine : undefined;
}

function statedSize({ kind, ranks, counts }: Collective, { size }: DocumentBlocks): Bytes | undefined {
  if (counts !== undefined) return messageBytes(kind, ranks, counts);
  return typeof size === 'number' ? size : undefined;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** The bundle with its cost, if a machine is known and the plan has at most `mostOperations` operations in all bulks together. */
export function withCost(bundle: PlanBundle, mostOperations: number): PlanBundle {
  const { proved, topology, size } = bundle;
  const { plan } = proved;
  if (topology === undefined || size === undefined || !canBeTimed(plan, topology, mostOperations)) return bundle;
  return { ...bundle, cost: simulate(plan, Routes.of(topology), size) };
}

/** Whether a correct plan fits this machine and is small enough to be simulated. */
export function canBeTimed(plan: Plan, topology: Topology, mostOperations: number): boolean {
  return ranksOf(topology) === plan.collective.ranks && operationCount(plan) * plan.bulks <= mostOperations;
}

/** `takes 394.3 µs for 64 MiB of f32 on sg2260x4 (simulated; size, dtype and topology from the plan)`. */
export function timingSentence(
  seconds: number,
  { topology, size = 0, dtype, sources }: TimingTarget<{ readonly name: string }>,
): string {
  const what = `${formatBytes(size)}${dtype === undefined ? '' : ` of ${dtype}`}`;
  const where = topology === undefined ? '' : ` on ${oneLine(topology.name)}`;
  return `takes ${formatSeconds(seconds)} for ${what}${where} (simulated${sources === '' ? '' : `; ${sources}`})`;
}
