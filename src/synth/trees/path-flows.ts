/** What capacity between two nodes is made of: the switches that each part of it passes. */

/** A part of a logical edge: so much of it passes these switches in this order. */
export interface PathFlow {
  readonly through: readonly number[];
  readonly amount: number;
}

/** The flows of every edge of a graph whose switches are being removed. */
export class PathFlows {
  private readonly nodes: number;
  private readonly known = new Map<number, PathFlow[]>();

  constructor(nodes: number) {
    this.nodes = nodes;
  }

  add(from: number, to: number, flow: PathFlow): void {
    const key = from * this.nodes + to;
    const there = this.known.get(key);
    if (there === undefined) this.known.set(key, [flow]);
    else there.push(flow);
  }

  of(from: number, to: number): readonly PathFlow[] {
    return this.known.get(from * this.nodes + to) ?? [];
  }

  /** Joins so much of two edges that meet at a switch to one that passes it. */
  join(from: number, through: number, to: number, amount: number): void {
    const first = this.take(from, through, amount);
    const second = this.take(through, to, amount);
    let [f, s] = [0, 0];
    let [firstLeft, secondLeft] = [first[0].amount, second[0].amount];
    while (f < first.length && s < second.length) {
      const both = Math.min(firstLeft, secondLeft);
      this.add(from, to, { through: [...first[f].through, through, ...second[s].through], amount: both });
      firstLeft -= both;
      secondLeft -= both;
      if (firstLeft === 0 && ++f < first.length) firstLeft = first[f].amount;
      if (secondLeft === 0 && ++s < second.length) secondLeft = second[s].amount;
    }
  }

  /** Takes flows of an edge away until they make up the amount; the edge has at least that much. */
  private take(from: number, to: number, amount: number): PathFlow[] {
    const there = this.known.get(from * this.nodes + to) ?? [];
    const taken: PathFlow[] = [];
    for (let left = amount; left > 0; ) {
      const flow = there.pop();
      if (flow === undefined) break;
      const part = Math.min(left, flow.amount);
      taken.push({ ...flow, amount: part });
      if (part < flow.amount) there.push({ ...flow, amount: flow.amount - part });
      left -= part;
    }
    return taken;
  }
}
