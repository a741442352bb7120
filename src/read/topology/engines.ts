/** Reads `chip` of a topology file: the ports, engines and names that all chips have. */
import { type ReductionOperator, reductionOperators } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { type Dtype, dtypes } from '../../ir/dtype.ts';
import type { LaneModel } from '../../ir/lanes.ts';
import type { CopyEngine, MessageLimits, OperatorTypes, Ports, ReduceEngine } from '../../ir/topology.ts';
import { compileRate, compileWhole, type Frame, type Scope } from '../expression/index.ts';
import { DocumentFields, flagOf, itemsOf, wordOf } from '../fields.ts';
import { bytesFromText } from '../quantity.ts';
import type { YamlNode } from '../yaml.ts';
import { readLane } from './lanes.ts';
import { compileName, type NameTemplate } from './names.ts';
import { wholeAtLeast } from './whole.ts';

/** The engines and limits of all chips, and the template of their names (default: `chip 3`). */
export interface ChipKind {
  readonly ports: Ports;
  readonly reduce: ReduceEngine | undefined;
  readonly copy: CopyEngine | undefined;
  readonly lane: LaneModel | undefined;
  readonly messages: MessageLimits | undefined;
  readonly name: NameTemplate | undefined;
}

export const unlimitedPorts: Ports = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };

export function readChip(node: YamlNode | undefined, scope: Scope, frame: Frame): ChipKind {
  const nothing = { reduce: undefined, copy: undefined, lane: undefined, messages: undefined, name: undefined };
  if (node === undefined) return { ports: unlimitedPorts, ...nothing };
  const fields = new DocumentFields(node, 'a chip', ['ports', 'reduce', 'copy', 'lane', 'message', 'name']);
  const named = fields.get('name');
  return {
    ports: readPorts(fields.get('ports'), scope, frame),
    reduce: readReduce(fields.get('reduce'), scope, frame),
    copy: readCopy(fields.get('copy'), scope, frame),
    lane: readLane(fields.get('lane')),
    messages: readMessages(fields.get('message'), scope, frame),
    name: named === undefined ? undefined : compileName(named, 'r', scope, frame),
  };
}

function readPorts(node: YamlNode | undefined, scope: Scope, frame: Frame): Ports {
  if (node === undefined) return unlimitedPorts;
  const fields = new DocumentFields(node, 'ports', ['send', 'receive']);
  const limit = (key: string): number => {
    const value = fields.get(key);
    return value === undefined ? Number.POSITIVE_INFINITY : wholeAtLeast(1, value, `ports.${key}`, scope, frame);
  };
  return { send: limit('send'), receive: limit('receive') };
}

function readReduce(node: YamlNode | undefined, scope: Scope, frame: Frame): ReduceEngine | undefined {
  if (node === undefined) return undefined;
  const fields = new DocumentFields(node, 'a reduce engine', ['throughput', 'overlap', 'operators']);
  const operators = fields.get('operators');
  return {
    throughput: compileRate(fields.require('throughput'), 'throughput', scope).evaluate(frame),
    overlap: flagOf(fields.require('overlap')),
    ...(operators === undefined ? {} : { operators: readOperators(operators) }),
  };
}

/** Reads the element types of each operator: `{ sum: [f32, f16], max: [i32] }`. */
function readOperators(node: YamlNode): OperatorTypes {
  const fields = new DocumentFields(node, 'operators of a reduce engine', reductionOperators);
  const types: Partial<Record<ReductionOperator, readonly Dtype[]>> = {};
  for (const op of reductionOperators) {
    const list = fields.get(op);
    if (list !== undefined)
      types[op] = itemsOf(list, 'a list of element types').map((item) => wordOf(item, dtypes, 'an element type'));
  }
  return types;
}

/** The size of the largest element type in bytes. Sizes are powers of two, so that a message of whole units of at least this size has whole elements. */
const leastAlignment = 8;

function readMessages(node: YamlNode | undefined, scope: Scope, frame: Frame): MessageLimits | undefined {
  if (node === undefined) return undefined;
  const fields = new DocumentFields(node, 'limits of messages', ['alignment', 'ids', 'counts', 'dimensions', 'stride']);
  const aligned = fields.require('alignment');
  const alignment = bytesFromText(aligned, 'message.alignment');
  if (!Number.isInteger(alignment / leastAlignment) || alignment >= 2 ** 31) {
    const wanted = `a multiple of ${leastAlignment} bytes and less than 2 GiB`;
    throw new CccError('range', `message.alignment must be ${wanted}, not ${alignment} bytes`, aligned.range);
  }
  const limit = (key: string): number => wholeUpTo(mostLimit, fields.require(key), `message.${key}`, scope, frame);
  const dimensions = fields.require('dimensions');
  const items = itemsOf(dimensions, 'the greatest N, C, H and W of a shape');
  if (items.length !== 4) {
    throw new CccError('schema', `expected four dimensions N, C, H, W, found ${items.length}`, dimensions.range);
  }
  const [n, c, h, w] = items.map((item) => wholeUpTo(mostLimit, item, 'a dimension', scope, frame));
  return { alignment, ids: limit('ids'), counts: limit('counts'), dimensions: [n, c, h, w], stride: limit('stride') };
}

/** The largest value of a field in commands, which have up to 32 bits. */
const mostLimit = 2 ** 32 - 1;

function wholeUpTo(most: number, node: YamlNode, what: string, scope: Scope, frame: Frame): number {
  const value = compileWhole(node, scope).evaluate(frame);
  if (value >= 1 && value <= most) return value;
  throw new CccError('range', `${what} must be from 1 to ${most}, not ${value}`, node.range);
}

function readCopy(node: YamlNode | undefined, scope: Scope, frame: Frame): CopyEngine | undefined {
  if (node === undefined) return undefined;
  const fields = new DocumentFields(node, 'a copy engine', ['throughput', 'duplex']);
  const throughput = compileRate(fields.require('throughput'), 'throughput', scope).evaluate(frame);
  const duplex = fields.get('duplex');
  return duplex === undefined ? { throughput } : { throughput, duplex: flagOf(duplex) };
}
