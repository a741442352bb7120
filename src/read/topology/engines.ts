/** What every chip of a topology file is like: ports, engines, name. */
import type { LaneModel } from '../../ir/lanes.ts';
import type { CopyEngine, Ports, ReduceEngine } from '../../ir/topology.ts';
import type { Frame, Scope } from '../expression/index.ts';
import { Fields, flagOf } from '../fields.ts';
import { rateOf } from '../quantity.ts';
import type { YamlNode } from '../yaml.ts';
import { readLane } from './lanes.ts';
import { compileName, type NameTemplate } from './names.ts';
import { wholeAtLeast } from './whole.ts';

/** The engines and limits of a chip, and what chips are called: `chip 3` where nothing is said. */
export interface ChipKind {
  readonly ports: Ports;
  readonly reduce: ReduceEngine | undefined;
  readonly copy: CopyEngine | undefined;
  readonly lane: LaneModel | undefined;
  readonly name: NameTemplate | undefined;
}

export const unlimitedPorts: Ports = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };

export function readChip(node: YamlNode | undefined, scope: Scope, frame: Frame): ChipKind {
  const nothing = { reduce: undefined, copy: undefined, lane: undefined, name: undefined };
  if (node === undefined) return { ports: unlimitedPorts, ...nothing };
  const fields = new Fields(node, 'a chip', ['ports', 'reduce', 'copy', 'lane', 'name']);
  const named = fields.get('name');
  return {
    ports: readPorts(fields.get('ports'), scope, frame),
    reduce: readReduce(fields.get('reduce')),
    copy: readCopy(fields.get('copy')),
    lane: readLane(fields.get('lane')),
    name: named === undefined ? undefined : compileName(named, 'r', scope, frame),
  };
}

function readPorts(node: YamlNode | undefined, scope: Scope, frame: Frame): Ports {
  if (node === undefined) return unlimitedPorts;
  const fields = new Fields(node, 'ports', ['send', 'receive']);
  const limit = (key: string): number => {
    const value = fields.get(key);
    return value === undefined ? Number.POSITIVE_INFINITY : wholeAtLeast(1, value, `ports.${key}`, scope, frame);
  };
  return { send: limit('send'), receive: limit('receive') };
}

function readReduce(node: YamlNode | undefined): ReduceEngine | undefined {
  if (node === undefined) return undefined;
  const fields = new Fields(node, 'a reduce engine', ['throughput', 'overlap']);
  return { throughput: rateOf(fields.require('throughput'), 'throughput'), overlap: flagOf(fields.require('overlap')) };
}

function readCopy(node: YamlNode | undefined): CopyEngine | undefined {
  if (node === undefined) return undefined;
  const fields = new Fields(node, 'a copy engine', ['throughput', 'duplex']);
  const throughput = rateOf(fields.require('throughput'), 'throughput');
  const duplex = fields.get('duplex');
  return duplex === undefined ? { throughput } : { throughput, duplex: flagOf(duplex) };
}
