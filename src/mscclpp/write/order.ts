/** What comes before what among events of a plan, kept up to date while synchronisation is added. */
export class EventOrder {
  private readonly width: number;
  private readonly bits: Int32Array;
  private readonly count: number;

  /** @param edges pairs of events, the earlier first; they must not go round in a circle */
  constructor(events: number, edges: readonly (readonly [number, number])[]) {
    this.count = events;
    this.width = (events + 31) >> 5;
    this.bits = new Int32Array(this.width * events);
    const next: number[][] = Array.from({ length: events }, () => []);
    const waiting = new Int32Array(events);
    for (const [from, to] of edges) {
      next[from].push(to);
      waiting[to]++;
    }
    const ordered = next.flatMap((_, event) => (waiting[event] === 0 ? [event] : []));
    for (let at = 0; at < ordered.length; at++) {
      for (const later of next[ordered[at]]) if (--waiting[later] === 0) ordered.push(later);
    }
    if (ordered.length < events) throw new Error('events of a proved plan wait for each other in a circle');
    for (const event of ordered.reverse()) for (const later of next[event]) this.follow(event, later);
  }

  /** a is b, or comes before it. */
  upTo(a: number, b: number): boolean {
    return a === b || this.before(a, b);
  }

  before(a: number, b: number): boolean {
    return (this.bits[a * this.width + (b >> 5)] & (1 << (b & 31))) !== 0;
  }

  /** Makes a come before b, and all that follows from it. */
  add(a: number, b: number): void {
    if (this.before(a, b)) return;
    for (let event = 0; event < this.count; event++) if (this.upTo(event, a)) this.follow(event, b);
  }

  /** What comes behind b comes behind the event, and b itself. */
  private follow(event: number, b: number): void {
    const row = event * this.width;
    this.bits[row + (b >> 5)] |= 1 << (b & 31);
    for (let word = 0; word < this.width; word++) this.bits[row + word] |= this.bits[b * this.width + word];
  }
}
