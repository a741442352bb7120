/** Reads topology files, which describe machines, for given values of their parameters. */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Knowledge, MachineProtocol } from '../../ir/lanes.ts';
import { defaultLimits, type Limits } from '../../ir/limits.ts';
import { type Staging, type Topology, withTiming } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { compileLets, compileSeconds, ExpansionBudget, type Frame, runLets, Scope } from '../expression/index.ts';
import { checkFormat, DocumentFields, flagOf, itemsOf, optionalText, textOf } from '../fields.ts';
import { readYaml } from '../kept-yaml.ts';
import { readable } from '../limits.ts';
import type { ReadOptions } from '../options.ts';
import { bytesFromText } from '../quantity.ts';
import type { YamlNode } from '../yaml.ts';
import { checkConnected } from './connected.ts';
import { type ChipKind, readChip } from './engines.ts';
import { readGroups } from './groups.ts';
import { readProtocols, readStatus, timingKeys } from './lanes.ts';
import { compileLinks, LinkExpansion, type LinkStatement, type NodeCounts, readDefaults } from './links.ts';
import { countChips, type NodeKinds, nodesOf, readNodeKinds } from './nodes.ts';
import { describeParameters, readArguments } from './parameters.ts';
import { functionsOn } from './shape.ts';
import { wholeAtLeast } from './whole.ts';

/** The name and the values of the parameters with which a topology file is read. */
export interface TopologyRequest {
  /** The name under which the user requested it, without values: `ring`, `./my-machine.yaml`. */
  readonly name: string;
  /** The values behind the name, in the order of the file's parameters. */
  readonly values: readonly string[];
}

const keys: readonly string[] = [
  ...['format', 'version', 'name', 'about', 'source', 'parameters', 'let', 'chips', 'chip', 'switches', 'switch'],
  ...['hosts', 'host', 'inflight', 'staging', 'staged', 'link', 'links', 'groups', 'shape', 'notes'],
  ...timingKeys,
];

/** A topology file with values for its parameters, before its links are expanded. */
export interface OpenTopology {
  /** The name in the file, with the given values: `ring:8`. */
  readonly name: string;
  readonly fields: DocumentFields;
  readonly scope: Scope;
  readonly frame: Frame;
  readonly budget: ExpansionBudget;
  readonly counts: NodeCounts;
  readonly kinds: NodeKinds;
  readonly chip: ChipKind;
  readonly links: readonly LinkStatement[];
  readonly inflight: number | undefined;
  readonly staging: Staging | undefined;
  readonly launch: Seconds | undefined;
  readonly protocols: Readonly<Record<string, MachineProtocol>> | undefined;
  readonly status: Readonly<Record<string, Knowledge>> | undefined;
  /** The extents of the grid, if `shape: true` states that the chips are a grid with wrap-around links. */
  readonly shape: readonly number[] | undefined;
  readonly notes: readonly string[];
}

/**
 * Reads a topology file and expands it.
 * @throws CccError with its place: 'syntax', 'schema', 'expression' or 'unit' for mistakes in the file, 'range', 'limit' or 'topology' for
 * an impossible machine
 */
export function parseTopology(source: SourceText, request: TopologyRequest, options: ReadOptions = {}): Topology {
  const limits = options.limits ?? defaultLimits;
  const file = openTopology(source, request, limits);
  const { name, fields, scope, frame, budget, counts, inflight, staging, launch, protocols, status, shape, notes } =
    file;
  const { lane } = file.chip;
  const expansion = new LinkExpansion(counts, frame, budget, Math.ceil(limits.operations / readable.linkShare));
  expansion.run(file.links);
  const topology: Topology = {
    name,
    nodes: nodesOf(fields, file.kinds, file.chip),
    links: expansion.links,
    chips: Array.from({ length: counts.chips }, (_, chip) => chip),
    inflight,
    ...(staging === undefined ? {} : { staging }),
    ...(fields.has('staged') ? { staged: textOf(fields.require('staged'), 'a topology') } : {}),
    ...(launch === undefined ? {} : { launch }),
    ...(lane === undefined ? {} : { lane }),
    ...(protocols === undefined ? {} : { protocols }),
    ...(status === undefined ? {} : { status }),
    ...(file.chip.messages === undefined ? {} : { messages: file.chip.messages }),
    shape,
    groups: readGroups(fields.get('groups'), counts.chips, scope, frame, budget),
    notes,
  };
  checkConnected(topology, fields.has('links') ? fields.entry('links')?.key : fields.entry('chips')?.key);
  return lane === undefined ? topology : withTiming(topology, {});
}

/** Reads a topology file, except the parts whose size grows with the machine. @throws CccError as `parseTopology` */
export function openTopology(source: SourceText, request: TopologyRequest, limits: Limits): OpenTopology {
  const node = readYaml(source, limits);
  checkFormat(node, 'ccc-topology');
  const fields = new DocumentFields(node, 'a topology file', keys);
  const called = textOf(fields.require('name'), 'a name');
  // The description is not used here, but a file with lists or mappings in its place is refused.
  descriptionOf(fields);
  const values = readArguments(fields.get('parameters'), request.name, request.values, limits);
  const scope = new Scope(functionsOn(values.shape));
  const frame: Frame = [];
  values.declareIn(scope, frame);
  runLets(compileLets(fields.get('let'), scope), frame);
  const chips = countChips(fields, scope, frame, limits.ranks);
  // `ranks` in loops is 0 .. N-1, as in schedules.
  frame[scope.declare('N', (fields.entry('parameters') ?? fields.entry('let'))?.key)] = chips;
  const kinds = readNodeKinds(chips, fields, scope, frame, limits.ranks);
  const { counts } = kinds;
  const links = fields.get('links');
  const inflight = fields.get('inflight');
  const launch = fields.get('launch');
  const chip = readChip(fields.get('chip'), scope, frame);
  const given = values.text(frame, scope);
  return {
    name: given === '' ? called : `${called}:${given}`,
    fields,
    scope,
    frame,
    budget: new ExpansionBudget(limits.evaluations),
    counts,
    kinds,
    links: links === undefined ? [] : compileLinks(links, scope, readDefaults(fields.get('link'), scope)),
    chip,
    inflight: inflight && wholeAtLeast(0, inflight, 'inflight', scope, frame),
    staging: readStaging(fields.get('staging')),
    launch: launch && compileSeconds(launch, 'launch', scope).evaluate(frame),
    protocols: readProtocols(fields.get('protocols'), chip.lane, scope, frame),
    status: readStatus(fields.get('status')),
    shape: wrappingShape(fields, values.shape, counts.chips),
    notes: notesOf(fields.get('notes')),
  };
}

/** The description that a topology file gives of itself. */
export interface Description {
  readonly about: string;
  /** The publication that the file is based on. */
  readonly source: string | undefined;
  readonly parameters: readonly { readonly name: string; readonly about: string }[];
}

/** Reads the description of a topology file without expanding it. @throws CccError 'syntax', 'schema' */
export function describeTopology(source: SourceText, limits = defaultLimits): Description {
  return descriptionOf(new DocumentFields(readYaml(source, limits), 'a topology file', keys));
}

function descriptionOf(fields: DocumentFields): Description {
  return {
    about: optionalText(fields.get('about')) ?? '',
    source: optionalText(fields.get('source')),
    parameters: describeParameters(fields.get('parameters')),
  };
}

function readStaging(node: YamlNode | undefined): Staging | undefined {
  if (node === undefined) return undefined;
  return { memory: bytesFromText(new DocumentFields(node, 'staging', ['memory']).require('memory'), 'staging.memory') };
}

function wrappingShape(
  fields: DocumentFields,
  shape: readonly number[] | undefined,
  chips: number,
): readonly number[] | undefined {
  const node = fields.get('shape');
  if (node === undefined || !flagOf(node)) return undefined;
  if (shape === undefined) throw new CccError('schema', 'shape: true needs a parameter with shape: true', node.range);
  const size = shape.reduce((product, extent) => product * extent, 1);
  if (size === chips) return shape;
  throw new CccError(
    'topology',
    `the shape ${shape.join('x')} has ${size} places, but there are ${chips} chips`,
    node.range,
  );
}

function notesOf(node: YamlNode | undefined): readonly string[] {
  return node === undefined ? [] : itemsOf(node, 'a list of sentences').map((item) => textOf(item, 'a sentence'));
}
