/**
 * The operands of each operation that moves data, according to the runtime's kernels. A list of operands ends with a role that may occur any number
 * of times (`more`). `packets` are scratch in packet form: data with flags that readers wait for.
 */
import type { ChannelType } from '../execution-plan.ts';

/** Local memory, local packets, memory of another gpu, its packets, memory behind a switch, packets there. */
export type Role = 'local' | 'packets' | 'remote' | 'remote packets' | 'switch' | 'switch packets';

export interface Operands {
  readonly first: readonly Role[];
  readonly more?: Role;
}

export interface ExecutionShape {
  readonly sources: Operands;
  readonly targets: Operands;
  /** Whether all sources are combined into every target; otherwise the k-th source goes to the k-th target. */
  readonly combines: boolean;
  /** The types of channels over which the operation accesses other gpus; undefined if it does not. */
  readonly over?: readonly ChannelType[];
}

const one = (role: Role): Operands => ({ first: [role] });
const oneAnd = (role: Role, more: Role): Operands => ({ first: [role], more });

const memory = ['memory'] as const;

/** By name of the operation; those that only synchronise have none. */
export const shapes: Readonly<Record<string, ExecutionShape>> = {
  copy: { sources: one('local'), targets: one('local'), combines: true },
  cpkt: { sources: one('local'), targets: one('packets'), combines: true },
  upkt: { sources: one('packets'), targets: one('local'), combines: true },
  put: {
    sources: { first: [], more: 'local' },
    targets: { first: [], more: 'remote' },
    combines: false,
    over: ['memory', 'port'],
  },
  pws: {
    sources: { first: [], more: 'local' },
    targets: { first: [], more: 'remote' },
    combines: false,
    over: ['port'],
  },
  pwsf: {
    sources: { first: [], more: 'local' },
    targets: { first: [], more: 'remote' },
    combines: false,
    over: ['port'],
  },
  get: { sources: { first: [], more: 'remote' }, targets: { first: [], more: 'local' }, combines: false, over: memory },
  ppkt: {
    sources: { first: [], more: 'local' },
    targets: { first: [], more: 'remote packets' },
    combines: false,
    over: ['memory', 'port'],
  },
  rppkt: {
    sources: one('packets'),
    targets: { first: [], more: 'remote packets' },
    combines: true,
    over: ['memory', 'port'],
  },
  re: { sources: oneAnd('local', 'local'), targets: one('local'), combines: true },
  res: { sources: oneAnd('local', 'local'), targets: oneAnd('local', 'remote'), combines: true, over: memory },
  rre: { sources: oneAnd('local', 'remote'), targets: one('local'), combines: true, over: memory },
  rres: { sources: oneAnd('local', 'remote'), targets: oneAnd('local', 'remote'), combines: true, over: memory },
  repkt: { sources: oneAnd('local', 'packets'), targets: one('local'), combines: true },
  respkt: {
    sources: oneAnd('local', 'packets'),
    targets: oneAnd('local', 'remote packets'),
    combines: true,
    over: memory,
  },
  recpkt: { sources: oneAnd('local', 'packets'), targets: { first: ['local', 'packets'] }, combines: true },
  recspkt: {
    sources: oneAnd('local', 'packets'),
    targets: { first: ['local', 'packets'], more: 'remote packets' },
    combines: true,
    over: memory,
  },
  glres: { sources: one('switch'), targets: one('switch'), combines: true, over: ['switch'] },
  gstore: { sources: one('local'), targets: one('switch'), combines: true, over: ['switch'] },
  gstorepkt: { sources: one('packets'), targets: one('switch packets'), combines: true, over: ['switch'] },
};

/** The role of the operand at a position; undefined if there are too many operands. */
export function roleOf({ first, more }: Operands, at: number): Role | undefined {
  return first[at] ?? more;
}
