/** Command lists for a runtime of SG2260 chips: the commands of each engine of each chip, in order (docs/sg2260.md). */
import { collectiveFacts } from '../../ir/collective.ts';
import { isPair } from '../../ir/dtype.ts';
import { formatBytes } from '../../ir/units.ts';
import { type Emitter, type OpenBundle, opened, type PlanBundle } from '../emitter.ts';
import { commandListsOf, type EmittedCommandLists, lacking } from './commands.ts';
import { documentText, engineOperators, type ListMachine, spaceOfBuffers } from './document.ts';
import { listingText } from './listing.ts';

export const sg2260: Emitter = {
  name: 'sg2260',
  about: 'command lists for each engine of SG2260 chips, as JSON',
  check,
  emit: (bundle) => written(bundle, documentText),
};

export const sg2260Listing: Emitter = {
  name: 'sg2260-listing',
  about: 'the same command lists, for people to read',
  check,
  emit: (bundle) => written(bundle, listingText),
};

function check(bundle: PlanBundle): readonly string[] {
  const lacks = [...lacking(bundle), ...operatorLacking(bundle)];
  if (lacks.length > 0) return lacks;
  const lists = commandListsOf({ ...bundle, plan: bundle.proved.plan });
  return typeof lists === 'string' ? [lists] : memoryLacking(bundle, lists);
}

function operatorLacking({ proved, dtype }: PlanBundle): readonly string[] {
  const { kind, op } = proved.plan.collective;
  if (dtype !== undefined && isPair(dtype)) return [`its commands know no pairs such as ${dtype}`];
  const isKnown = !collectiveFacts[kind].reduces || engineOperators[op] !== undefined;
  return isKnown ? [] : [`its engines have no ${op}; they have ${Object.keys(engineOperators).join(', ')}`];
}

/** Checks that L2 can hold the scratch of all bulks in flight, if its size is known. */
function memoryLacking({ topology }: PlanBundle, { regions }: EmittedCommandLists): readonly string[] {
  const memory = topology?.staging?.memory ?? Number.POSITIVE_INFINITY;
  const most = regions.reduce((all, rank) => {
    return Math.max(all, rank.regions.find(({ region }) => region === 'scratch')?.bytes ?? 0);
  }, 0);
  if (most <= memory) return [];
  return [`its scratch takes ${formatBytes(most)}, and L2 has ${formatBytes(memory)} (more --bulks make it smaller)`];
}

function written(bundle: PlanBundle, textOf: typeof documentText | typeof listingText): Iterable<string> {
  const open = opened(bundle);
  const lists = commandListsOf(open);
  if (typeof lists === 'string') throw new Error(`${open.plan.name} was not checked: ${lists}`);
  return textOf(open.plan, machineOf(open), lists);
}

function machineOf({ topology, dtype, size, plan }: OpenBundle): ListMachine {
  if (topology === undefined || dtype === undefined || size === undefined) {
    throw new Error(`${plan.name} was not checked: it needs a machine, an element type and a size`);
  }
  return { topology, dtype, size, buffers: spaceOfBuffers(plan, topology) };
}
