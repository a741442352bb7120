/**
 * Lengths that prove how fast an allreduce can be at best, or what several groups of ranks do at once: the dual of packing trees that
 * span them. By multiplicative weights: take minimum spanning trees, make their links longer, and so on; links between parts that
 * bind grow longest. The parts that they leave give lengths of 0 and 1, which are looked at as well: for the right parts they are exact.
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
  /** Of all spans. */
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
      // The weights of all trees so far: links that more of them need than they can carry stand out ever more.
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

  /** Counts for each link the trees that take it, one of each span. */
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

  /** Keeps these lengths, rounded, if they prove more than those before: then true. */
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
   * Bytes times distance in all, for a message of one byte: of each span, at every length, the parts of its ranks that ways of that length
   * have not joined yet, less one. All ranks may pass on what is another's, so that ways lead over all of them.
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

  /** In how many parts more than one some ranks are, after so many of all have been joined. */
  private apart(ranks: readonly number[], parts: DisjointSets, joined: number): number {
    const { chips } = this.topology;
    if (ranks.length === chips.length) return chips.length - joined - 1;
    return new Set(ranks.map((rank) => parts.of(chips[rank]))).size - 1;
  }

  /** Of `spannedLength`: few spans have many ranks. */
  private workToSpan(): number {
    const { links, chips } = this.topology;
    if (this.spans.length === 1) return 8 * links.length;
    return 8 * links.length + chips.length * this.spans.reduce((sum, { ranks }) => sum + ranks.length, 0);
  }

  /** The parts that are left when all edges from some length on are cut, for every length. True if some prove more than all before. */
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

  /** Lengths of 1 between parts of the machine and 0 within, unless they cannot prove more. */
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
    // Parts with chips that no link joins are as far apart as there are others between them, at most.
    const withChips = hasChip.reduce((sum, bit) => sum + bit, 0);
    const others = hasChip.reduce((sum, bit, node) => sum + (parts.of(node) === node ? 1 - bit : 0), 0);
    const distance = this.amount * (joined + (withChips - 1 - joined) * (1 + others));
    if (distance > (this.found?.secondsPerByte ?? 0) * capacity) this.consider(lengths);
  }
}
