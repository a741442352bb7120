/** Reads the links of a topology file: statements with loops, and defaults for the numbers that a statement leaves out. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { LinkLane } from '../../ir/lanes.ts';
import type { Link, OccupancyRule } from '../../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../../ir/units.ts';
import {
  type CompiledExpression,
  compileExpression,
  compileModifiers,
  compileRate,
  compileSeconds,
  compileWhole,
  type ExpansionBudget,
  type Frame,
  type Modifiers,
  modifierKeys,
  type Quantity,
  repeat,
  type Scope,
  TokenStream,
} from '../expression/index.ts';
import { DocumentFields, itemsOf, scalarOf, wordOf } from '../fields.ts';
import { secondsOf } from '../quantity.ts';
import type { YamlNode } from '../yaml.ts';
import { readLinkLane } from './lanes.ts';

/** The number of nodes of each kind. Chips are numbered first, then switches, then hosts. */
export interface NodeCounts {
  readonly chips: number;
  readonly switches: number;
  readonly hosts: number;
}

/** The default numbers of links. */
export interface LinkDefaults {
  readonly latency: Quantity | undefined;
  readonly bandwidth: Quantity | undefined;
  readonly occupancy: OccupancyRule;
  readonly units: CompiledExpression | undefined;
  readonly lane: LinkLane | undefined;
}

export interface LinkStatement {
  readonly modifiers: Modifiers;
  readonly body: LinkBody;
}

export type LinkBody =
  | { readonly kind: 'do'; readonly statements: readonly LinkStatement[] }
  | {
      readonly kind: 'link' | 'duplex';
      readonly from: End;
      readonly to: End;
      readonly latency: Quantity;
      readonly bandwidth: Quantity;
      readonly occupancy: OccupancyRule;
      readonly units: CompiledExpression | undefined;
      readonly lane: LinkLane | undefined;
      readonly range: SourceRange;
    };

/** A statement that makes links. */
export type EndsBody = Exclude<LinkBody, { readonly kind: 'do' }>;

/** A link statement evaluated for one set of values of the loop variables. */
export interface LinkValues extends Omit<EndsBody, 'latency' | 'bandwidth'> {
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
}

/** A compiled end of a link. */
interface End {
  readonly kind: 'chip' | 'switch' | 'host';
  readonly index: CompiledExpression;
}

const numberKeys = ['latency', 'bandwidth', 'occupancy', 'units', 'lane'];
const occupancies = ['blocking', 'pipelined'] as const;

/** Reads `link`, the defaults of all links, with `loggp` in place of latency and bandwidth. */
export function readDefaults(node: YamlNode | undefined, scope: Scope): LinkDefaults {
  const none = {
    latency: undefined,
    bandwidth: undefined,
    occupancy: 'blocking',
    units: undefined,
    lane: undefined,
  } as const;
  if (node === undefined) return none;
  const fields = new DocumentFields(node, 'link', [...numberKeys, 'loggp']);
  const loggp = fields.get('loggp');
  const numbers = readNumbers(fields, none, scope);
  if (loggp === undefined) return numbers;
  for (const key of ['latency', 'bandwidth']) {
    if (fields.has(key)) throw new CccError('schema', `'loggp' says the ${key} already`, fields.entry(key)?.key);
  }
  return { ...numbers, ...readLogGP(loggp) };
}

function readNumbers(fields: DocumentFields, defaults: LinkDefaults, scope: Scope): LinkDefaults {
  const latency = fields.get('latency');
  const bandwidth = fields.get('bandwidth');
  const occupancy = fields.get('occupancy');
  const units = fields.get('units');
  const lane = fields.get('lane');
  return {
    latency: latency === undefined ? defaults.latency : compileSeconds(latency, 'latency', scope),
    bandwidth: bandwidth === undefined ? defaults.bandwidth : compileRate(bandwidth, 'bandwidth', scope),
    occupancy: occupancy === undefined ? defaults.occupancy : wordOf(occupancy, occupancies, 'an occupancy'),
    units: units === undefined ? defaults.units : compileWhole(units, scope),
    lane: lane === undefined ? defaults.lane : readLinkLane(lane),
  };
}

/**
 * The numbers of the LogGP model (Alexandrov, Ionescu, Schauser, Scheiman 1995): per byte b = G, or min(o, g) where messages have
 * no gap per byte of their own; per message α = L + 2o − b.
 */
function readLogGP(node: YamlNode): { readonly latency: Quantity; readonly bandwidth: Quantity } {
  const fields = new DocumentFields(node, 'loggp', ['L', 'o', 'g', 'G']);
  const [latency, overhead] = ['L', 'o'].map((key) => secondsOf(fields.require(key), key));
  const perByteNode = fields.get('G');
  const gap = fields.get('g');
  const perByte =
    perByteNode === undefined
      ? Math.min(overhead, secondsOf(gap ?? fields.require('G'), 'g'))
      : secondsOf(perByteNode, 'G');
  if (perByteNode !== undefined && gap !== undefined) secondsOf(gap, 'g');
  if (perByte <= 0)
    throw new CccError('range', 'loggp: the time per byte must be more than 0', (perByteNode ?? node).range);
  const alpha = latency + 2 * overhead - perByte;
  if (alpha < 0) throw new CccError('range', 'loggp: L + 2o must not be less than the time per byte', node.range);
  return { latency: { evaluate: () => alpha }, bandwidth: { evaluate: () => 1 / perByte } };
}

export function compileLinks(node: YamlNode, scope: Scope, defaults: LinkDefaults): readonly LinkStatement[] {
  return itemsOf(node, 'a list of links').map((item) => compileLink(item, scope, defaults));
}

function compileLink(node: YamlNode, outer: Scope, defaults: LinkDefaults): LinkStatement {
  const fields = new DocumentFields(node, 'a link', [...modifierKeys, 'link', 'duplex', 'do', ...numberKeys]);
  const [kind, ...more] = (['link', 'duplex', 'do'] as const).filter((body) => fields.has(body));
  if (kind === undefined || more.length > 0) {
    const found = kind === undefined ? 'none of them' : `${kind} and ${more.join(' and ')}`;
    const place = kind === undefined ? node.range : fields.entry(more[0])?.key;
    throw new CccError('schema', `a link has one of link, duplex and do; this one has ${found}`, place);
  }
  const modifiers = compileModifiers(fields, outer);
  const { scope } = modifiers;
  const numbers = readNumbers(fields, defaults, scope);
  if (kind === 'do')
    return { modifiers, body: { kind, statements: compileLinks(fields.require(kind), scope, numbers) } };
  const range = fields.rangeOf(kind);
  const needed = <Value>(value: Value | undefined, what: string): Value => {
    if (value === undefined)
      throw new CccError('schema', `the link has no ${what}, and there is no default for it`, range);
    return value;
  };
  const tokens = new TokenStream(scalarOf(fields.require(kind), 'two ends such as 0 <-> 1'));
  const from = compileEnd(tokens, scope);
  tokens.expect(kind === 'link' ? '->' : '<->');
  const to = compileEnd(tokens, scope);
  tokens.expectEnd();
  const latency = needed(numbers.latency, 'latency');
  const bandwidth = needed(numbers.bandwidth, 'bandwidth');
  const { occupancy, units, lane } = numbers;
  return { modifiers, body: { kind, from, to, latency, bandwidth, occupancy, units, lane, range } };
}

function compileEnd(tokens: TokenStream, scope: Scope): End {
  for (const kind of ['switch', 'host'] as const) {
    if (tokens.accept(kind)) return { kind, index: compileExpression(tokens, scope) };
  }
  return { kind: 'chip', index: compileExpression(tokens, scope) };
}

/** Expands link statements to the list of links. */
export class LinkExpansion {
  readonly links: Link[] = [];
  protected readonly counts: NodeCounts;
  protected readonly frame: Frame;
  private readonly budget: ExpansionBudget;
  private readonly most: number;
  /** By node: the nodes to which it already has a link. */
  private readonly linked = new Map<number, Set<number>>();

  constructor(counts: NodeCounts, frame: Frame, budget: ExpansionBudget, most: number) {
    this.counts = counts;
    this.frame = frame;
    this.budget = budget;
    this.most = most;
  }

  /** @throws CccError 'topology' for impossible links, 'limit' for too many */
  run(statements: readonly LinkStatement[]): void {
    for (const { modifiers, body } of statements) {
      repeat(modifiers, this.frame, this.budget, () => {
        if (body.kind === 'do') this.run(body.statements);
        else this.add(body, modifiers.scope);
      });
    }
  }

  private add(body: EndsBody, scope: Scope): void {
    this.budget.spend(body.from.index.weight + body.to.index.weight, body.range);
    const from = this.nodeOf(body.from, scope);
    const to = this.nodeOf(body.to, scope);
    if (from === to) {
      throw new CccError('topology', `a link from a node to itself${scope.loopValues(this.frame)}`, body.range);
    }
    const units = body.units === undefined ? 1 : this.unitsOf(body.units, scope);
    const [latency, bandwidth] = [body.latency.evaluate(this.frame), body.bandwidth.evaluate(this.frame)];
    const values: LinkValues = { ...body, latency, bandwidth };
    this.push(from, to, units, values, scope);
    if (body.kind === 'duplex') this.push(to, from, units, values, scope);
  }

  /** Adds one directed link. */
  protected push(from: number, to: number, units: number, body: LinkValues, scope: Scope): void {
    const linked = this.linked.get(from) ?? new Set();
    this.linked.set(from, linked);
    if (linked.has(to)) {
      const ends = `${this.nameOf(from)} to ${this.nameOf(to)}`;
      const message = `a second link from ${ends}${scope.loopValues(this.frame)}; say units: 2 and the bandwidth of both together`;
      throw new CccError('topology', message, body.range);
    }
    if (this.links.length >= this.most) {
      const message = `more than ${this.most} links: an eighth of the limit operations, since links are large`;
      throw new CccError('limit', message, body.range);
    }
    linked.add(to);
    const { latency, bandwidth, occupancy, lane, range: origin } = body;
    this.links.push({
      from,
      to,
      latency,
      bandwidth,
      occupancy,
      units,
      ...(lane === undefined ? {} : { lane }),
      origin,
    });
  }

  private unitsOf(units: CompiledExpression, scope: Scope): number {
    const value = units.evaluate(this.frame);
    if (value >= 1 && value < 2 ** 31) return value;
    throw new CccError('range', `units must be at least 1, not ${value}${scope.loopValues(this.frame)}`, units.range);
  }

  private nodeOf(end: End, scope: Scope): number {
    const index = end.index.evaluate(this.frame);
    const { chips, switches, hosts } = this.counts;
    const first = end.kind === 'chip' ? 0 : end.kind === 'switch' ? chips : chips + switches;
    const count = end.kind === 'chip' ? chips : end.kind === 'switch' ? switches : hosts;
    if (index >= 0 && index < count) return first + index;
    const has = count === 0 ? 'there are none' : `there are 0 … ${count - 1}`;
    const message = `${end.kind} ${index} does not exist: ${has}${scope.loopValues(this.frame)}`;
    throw new CccError('topology', message, end.index.range);
  }

  protected nameOf(node: number): string {
    const { chips, switches } = this.counts;
    if (node < chips) return `chip ${node}`;
    return node < chips + switches ? `switch ${node - chips}` : `host ${node - chips - switches}`;
  }
}
