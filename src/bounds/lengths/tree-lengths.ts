/**
 * Link lengths that prove how fast an allreduce, or several process groups at once, can be: the dual of packing
 * spanning trees. By multiplicative weights: compute minimum spanning trees, lengthen their links, repeat; links
 * between the parts of the machine that bind grow longest. The partitions that these lengths induce are also tried as
 * lengths of 0 and 1, which are exact for the right partition (Nash-Williams, Tutte 1961).
 */

import { linkColumns } from '../../graph/link-columns.ts';
import { DisjointSets } from '../../ir/disjoint-sets.ts';
import type { Topology } from '../../ir/topology.ts';
import { weighing } from '../limits.ts';
import { type ProvingLengths, roundedLengths } from './proving-lengths.ts';
import { SpanningTrees } from './spanning-trees.ts';
import type { SpannedRanks } from './spans.ts';

export class TreeLengths {
  private readonly topology: Topology;
  private readonly bandwidths: Float64Array;
  private readonly spans: readonly SpannedRanks[];
  /** Sum of the amounts of all spans. */
  private readonly amount: number;
  private readonly everyone: readonly number[];
  private readonly trees: SpanningTrees;
  private found: ProvingLengths | undefined;

  constructor(topology: Topology, spans: readonly SpannedRanks[]) {
    this.topology = topology;
    this.bandwidths = linkColumns(topology).bandwidth;
    this.spans = spans;
    this.amount = spans.reduce((sum, { amount }) => sum + amount, 0);
    this.everyone = [...topology.chips.keys()];
    this.trees = new SpanningTrees(topology);
  }

  best(): ProvingLengths | undefined {
    const { bandwidths, spans } = this;
    if (spans.length === 0) return undefined;
    const most = Math.min(weighing.trees, Math.floor(weighing.treeWork / (8 * bandwidths.length * spans.length)));
    const lengths = new Float64Array(bandwidths.length).fill(1);
    this.consider(lengths);
    for (let link = 0; link < lengths.length; link++) lengths[link] = 1 / bandwidths[link];
    this.consider(lengths);
    const uses = new Float64Array(lengths.length);
    let tree = 0;
    for (let better = 0; tree < most && tree - better < weighing.treePatience; ) {
      this.useTrees(lengths, uses);
      tree++;
      let busiest = 0;
      for (let link = 0; link < uses.length; link++) busiest = Math.max(busiest, uses[link] / bandwidths[link]);
      // Decaying sum of the uses of all trees so far: overloaded links stand out more and more.
      const pace = Math.sqrt(tree) * 2;
      for (let link = 0; link < lengths.length; link++) {
        lengths[link] = Math.exp(pace * (uses[link] / bandwidths[link] / busiest - 1)) / bandwidths[link];
      }
      if (tree % weighing.treesBetweenLooks === 0 && this.consider(lengths)) better = tree;
      if (tree % (2 * weighing.treesBetweenLooks) === 0 && this.considerPartitions(lengths)) better = tree;
    }
    if (tree === 0 || tree % (2 * weighing.treesBetweenLooks) > 0) this.considerPartitions(lengths);
    return this.found;
  }

  /** Counts for each link how many of the trees, one per span, use it. */
  private useTrees(lengths: Float64Array, uses: Float64Array): void {
    const { trees } = this;
    trees.setLengths(lengths);
    for (const { ranks, amount } of this.spans) {
      trees.span(ranks);
      for (let link = 0; link < uses.length; link++) {
        if (trees.isInTree[trees.edgeOf[link]] === 1) uses[link] += amount;
      }
    }
  }

  /** Keeps these lengths, rounded, if they prove more than the best so far; returns whether they did. */
  private consider(lengths: ArrayLike<number>): boolean {
    const whole = roundedLengths(lengths);
    const { bandwidths } = this;
    let capacity = 0;
    for (let link = 0; link < whole.length; link++) capacity += whole[link] * bandwidths[link];
    const distance = this.spannedLength(whole);
    const secondsPerByte = capacity === 0 ? 0 : distance / capacity;
    if (secondsPerByte <= (this.found?.secondsPerByte ?? 0) * (1 + 1e-9)) return false;
    this.found = { lengths: whole, secondsPerByte };
    return true;
  }

  /**
   * Total bytes × distance for a message of one byte. For each span it is the integral over all lengths of the number
   * of components that paths up to that length leave among its ranks, minus one. Every rank may relay, so paths lead
   * over all of them.
   */
  private spannedLength(lengths: ArrayLike<number>): number {
    const { trees, topology } = this;
    trees.setLengths(lengths);
    const joints = trees.span(this.everyone).sort((a, b) => (trees.isBefore(a, b) ? -1 : 1));
    const parts = new DisjointSets(topology.nodes.length);
    let total = 0;
    let before = 0;
    for (const [joined, joint] of joints.entries()) {
      const length = trees.length[joint];
      if (length > before) {
        for (const { ranks, amount } of this.spans)
          total += amount * this.apart(ranks, parts, joined) * (length - before);
        before = length;
      }
      const [a, b] = trees.ownersOf(joint);
      parts.join(a, b);
    }
    return total;
  }

  /** The number of components of some ranks, minus one, when `joined` of all components have been merged. */
  private apart(ranks: readonly number[], parts: DisjointSets, joined: number): number {
    const { chips } = this.topology;
    if (ranks.length === chips.length) return chips.length - joined - 1;
    return new Set(ranks.map((rank) => parts.of(chips[rank]))).size - 1;
  }

  /** Cost of `spannedLength`; low if few spans have many ranks. */
  private workToSpan(): number {
    const { links, chips } = this.topology;
    if (this.spans.length === 1) return 8 * links.length;
    return 8 * links.length + chips.length * this.spans.reduce((sum, { ranks }) => sum + ranks.length, 0);
  }

  /**
   * Tries the partitions that arise when all edges longer than a threshold are removed, for every threshold; returns
   * whether one proves more than the best so far.
   */
  private considerPartitions(lengths: Float64Array): boolean {
    const { trees, found } = this;
    const { nodes } = this.topology;
    trees.setLengths(lengths);
    const weight = trees.weight.slice();
    const byLength = [...trees.ends.keys()].sort((x, y) => weight[x] - weight[y]);
    const parts = new DisjointSets(nodes.length);
    const joining = byLength.map((edge) => trees.ends[edge]).filter(([a, b]) => parts.join(a, b));
    const stride = Math.ceil((joining.length * this.workToSpan()) / weighing.treeWork);
    const grown = new DisjointSets(nodes.length);
    joining.forEach(([a, b], joined) => {
      if (joined % stride === 0) this.considerPartition(grown);
      grown.join(a, b);
    });
    return this.found !== found;
  }

  /** Tries lengths of 1 between the parts of a partition and 0 within, unless they cannot prove more. */
  private considerPartition(parts: DisjointSets): void {
    const { from, to, bandwidth } = linkColumns(this.topology);
    const { chips, nodes } = this.topology;
    const hasChip = new Uint8Array(nodes.length);
    for (const chip of chips) hasChip[parts.of(chip)] = 1;
    const lengths = new Uint8Array(from.length);
    const adjacent = new DisjointSets(nodes.length);
    let capacity = 0;
    let joined = 0;
    for (let link = 0; link < lengths.length; link++) {
      const [a, b] = [parts.of(from[link]), parts.of(to[link])];
      if (a === b) continue;
      lengths[link] = 1;
      capacity += bandwidth[link];
      if (hasChip[a] + hasChip[b] === 2 && adjacent.join(a, b)) joined++;
    }
    // The distance between parts that contain chips and share no link is at most the number of other parts between
    // them.
    const withChips = hasChip.reduce((sum, bit) => sum + bit, 0);
    const others = hasChip.reduce((sum, bit, node) => sum + (parts.of(node) === node ? 1 - bit : 0), 0);
    const distance = this.amount * (joined + (withChips - 1 - joined) * (1 + others));
    if (distance > (this.found?.secondsPerByte ?? 0) * capacity) this.consider(lengths);
  }
}
