/** What comes before what among events of a plan, kept up to date while synchronisation is added. */
export class Order {
  private readonly width: number;
  private readonly bits: Int32Array;
  private readonly count: number;

  constructor(events: number) {
    this.count = events;
    this.width = (events + 31) >> 5;
    this.bits = new Int32Array(this.width * events);
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
    for (let event = 0; event < this.count; event++) {
      if (!this.upTo(event, a)) continue;
      const row = event * this.width;
      this.bits[row + (b >> 5)] |= 1 << (b & 31);
      for (let word = 0; word < this.width; word++) this.bits[row + word] |= this.bits[b * this.width + word];
    }
  }
}
