/**
 * Reads machines that look the same from every chip without building them. Every link of the file is expanded but not
 * stored; it is only compared with the links that have the same offset (target relative to source). If each offset
 * occurs with one set of parameters, once for every chip, translations are symmetries of the machine, and the view from
 * chip 0 describes all of it. Nothing is inferred from smaller machines or from how the file is written, so no file can
 * mislead.
 */
import { type Generator, maxCompactRanks, type SymmetricTopology } from '../../ir/compact.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { defaultLimits } from '../../ir/limits.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import type { ExpansionBudget, Frame, Scope } from '../../read/expression/index.ts';
import type { ReadOptions } from '../../read/options.ts';
import { type OpenTopology, openTopology, type TopologyRequest } from '../../read/topology/file.ts';
import { LinkExpansion, type LinkValues, type NodeCounts } from '../../read/topology/links.ts';
import { compact } from '../limits.ts';

/**
 * Reads a topology file as the view from one chip. Up to `maxCompactRanks` chips are read, whatever the limit on ranks
 * of full plans.
 * @throws CccError as `parseTopology`, and 'unsupported' for a machine that does not look the same from every chip
 */
export function parseSymmetricTopology(
  source: SourceText,
  request: TopologyRequest,
  options: ReadOptions = {},
): SymmetricTopology {
  const limits = options.limits ?? defaultLimits;
  const raised = { ...limits, ranks: Math.max(limits.ranks, maxCompactRanks) };
  const { name, shape, counts, staging, launch, chip } = openTopology(source, request, raised);
  if (counts.switches + counts.hosts > 0) {
    const needed = 'a compact plan needs a machine of chips alone, such as torus:16x16';
    throw new CccError('unsupported', `${name}: ${needed}`);
  }
  if (staging !== undefined) throw new CccError('unsupported', `${name}: compact plans do not stage messages`);
  if (launch !== undefined || chip.lane !== undefined) {
    throw new CccError(
      'unsupported',
      `${name}: compact plans are timed without launch and lanes; leave these keys out`,
    );
  }
  if (chip.messages !== undefined)
    throw new CccError('unsupported', `${name}: compact plans have no limits of messages`);
  const shapes = shape === undefined ? likelyShapes(counts.chips) : [shape];
  let first: unknown;
  for (const extents of shapes) {
    try {
      // Each attempt may evaluate a whole file.
      return asShape(openTopology(source, request, raised), extents);
    } catch (error) {
      if (!(error instanceof CccError) || error.code !== 'unsupported') throw error;
      first ??= error;
    }
  }
  throw first;
}

/** Shapes to try if the file declares none: a ring, and a hypercube. */
function likelyShapes(chips: number): readonly (readonly number[])[] {
  const dimensions = Math.log2(chips);
  const isCube = dimensions > 1 && Number.isInteger(dimensions);
  return [[chips], ...(isCube ? [new Array<number>(dimensions).fill(2)] : [])];
}

/** @throws CccError 'unsupported' for a machine that does not look the same from every chip under this numbering */
function asShape(file: OpenTopology, shape: readonly number[]): SymmetricTopology {
  const { name, counts, chip, inflight, notes } = file;
  const group = new TranslationGroup(shape);
  const expansion = new OffsetExpansion(name, group, { counts, frame: file.frame, budget: file.budget });
  expansion.run(file.links);
  const generators = expansion.generators();
  checkReach(name, group, generators);
  return { name, shape, generators, ports: chip.ports, reduce: chip.reduce, copy: chip.copy, inflight, notes };
}

/** The links of one offset. */
interface OffsetLinks {
  readonly generator: Generator;
  /** Name of the first of them, to report which link differs. */
  readonly first: string;
  readonly translate: (rank: number) => number;
  /** 1 for each chip that has such a link. */
  readonly from: Uint8Array;
}

/** Expands link statements and keeps what the links of each offset have in common. */
class OffsetExpansion extends LinkExpansion {
  private readonly name: string;
  private readonly group: TranslationGroup;
  private readonly byOffset = new Map<number, OffsetLinks>();
  /** By difference of rank numbers: the offset that it stood for last (a cache). */
  private readonly byDifference = new Map<number, OffsetLinks>();

  constructor(
    name: string,
    group: TranslationGroup,
    context: { readonly counts: NodeCounts; readonly frame: Frame; readonly budget: ExpansionBudget },
  ) {
    super(context.counts, context.frame, context.budget, Number.POSITIVE_INFINITY);
    this.name = name;
    this.group = group;
  }

  /** @throws CccError 'unsupported' if some chip lacks a link that others have */
  generators(): readonly Generator[] {
    const all = [...this.byOffset.values()].sort((a, b) => a.generator.offset - b.generator.offset);
    for (const { from, first, translate } of all) {
      const without = from.indexOf(0);
      if (without < 0) continue;
      throw this.uneven(`there is a link from ${first}, but none from chip ${without} to chip ${translate(without)}`);
    }
    return all.map(({ generator }) => generator);
  }

  protected override push(from: number, to: number, units: number, body: LinkValues, scope: Scope): void {
    const links = this.linksAlong(from, to, units, body);
    const { latency, bandwidth, occupancy } = links.generator;
    if (links.from[from] === 1) {
      const message = `a second link from ${this.endsOf(from, to)}${scope.loopValues(this.frame)}; say units: 2 and the bandwidth of both together`;
      throw new CccError('topology', message, body.range);
    }
    const same = latency === body.latency && bandwidth === body.bandwidth && occupancy === body.occupancy;
    if (!same || links.generator.units !== units) {
      throw this.uneven(`the links from ${links.first} and from ${this.endsOf(from, to)} differ in their numbers`);
    }
    links.from[from] = 1;
  }

  private linksAlong(from: number, to: number, units: number, body: LinkValues): OffsetLinks {
    const likely = this.byDifference.get(to - from);
    if (likely !== undefined && likely.translate(from) === to) return likely;
    const offset = this.group.add(to, this.group.negate(from));
    let links = this.byOffset.get(offset);
    if (links === undefined) {
      if (this.byOffset.size === compact.generators) {
        throw new CccError(
          'unsupported',
          `${this.name}: compact plans are made for up to ${compact.generators} links per chip`,
        );
      }
      const { latency, bandwidth, occupancy } = body;
      links = {
        generator: { offset, latency, bandwidth, occupancy, units },
        first: this.endsOf(from, to),
        translate: this.group.translation(offset),
        from: new Uint8Array(this.group.order),
      };
      this.byOffset.set(offset, links);
    }
    this.byDifference.set(to - from, links);
    return links;
  }

  private endsOf(from: number, to: number): string {
    return `${this.nameOf(from)} to ${this.nameOf(to)}`;
  }

  private uneven(what: string): CccError {
    return new CccError(
      'unsupported',
      `${this.name} does not look the same from every chip, which compact plans need: ${what}`,
    );
  }
}

/**
 * @throws CccError 'disconnected' with a chip that chip 0 does not reach; by symmetry, if chip 0 reaches all, all reach
 * all
 */
function checkReach(name: string, group: TranslationGroup, generators: readonly Generator[]): void {
  const translations = generators.map(({ offset }) => group.translation(offset));
  const reached = new Uint8Array(group.order);
  const waiting = new Int32Array(group.order);
  let found = 1;
  reached[0] = 1;
  for (let at = 0; at < found; at++) {
    for (const translate of translations) {
      const next = translate(waiting[at]);
      if (reached[next] === 1) continue;
      reached[next] = 1;
      waiting[found++] = next;
    }
  }
  if (found === group.order) return;
  const message = `${name}: chip 0 cannot reach chip ${reached.indexOf(0)}; every chip must reach every other`;
  throw new CccError('disconnected', message);
}
