/** The problem that a certificate is checked against: collective, machine, message size, and the work limit of the check. */
import type { Collective } from '../ir/collective.ts';
import { inFewestChunks } from '../ir/fewest-chunks.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';
import { CheckedMachine } from './machine.ts';
import { Work } from './work.ts';

export interface Question {
  /** Described with as few chunks as possible: bounds count bytes, so that finer chunks would only cost work. */
  readonly collective: Collective;
  readonly machine: CheckedMachine;
  /** M. */
  readonly size: Bytes;
  readonly work: Work;
}

export function questionOf(asked: Collective, topology: Topology, size: Bytes): Question {
  const work = new Work();
  const collective = asked.kind === 'custom' ? inFewestChunks(asked) : { ...asked, chunks: 1 };
  return { collective, machine: new CheckedMachine(topology, work), size, work };
}

export function everyone({ collective }: Question): readonly number[] {
  return Array.from({ length: collective.ranks }, (_, rank) => rank);
}

export function allBut(rank: number, question: Question): readonly number[] {
  return everyone(question).filter((other) => other !== rank);
}
