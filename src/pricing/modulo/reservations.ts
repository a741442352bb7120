/** Which events keep which resources busy, round and round: time is taken modulo the interval between bulks. */
import type { ResourceUse } from '../../cost/index.ts';

/** Shares of the interval below this are rounding. */
const rounding = 1e-9;

interface Reservation {
  readonly event: number;
  /** In 0 … interval. */
  readonly start: number;
  readonly seconds: number;
  readonly amount: number;
}

export class Reservations {
  private readonly interval: number;
  private readonly capacity: Float64Array;
  private readonly byResource: Reservation[][];

  constructor(interval: number, capacity: Float64Array) {
    this.interval = interval;
    this.capacity = capacity;
    this.byResource = Array.from(capacity, () => []);
  }

  reserve(event: number, uses: readonly ResourceUse[], time: number): void {
    for (const { resource, seconds, amount } of uses) {
      this.byResource[resource].push({ event, start: this.wrapped(time), seconds, amount });
    }
  }

  release(event: number, uses: readonly ResourceUse[]): void {
    for (const { resource } of uses) {
      this.byResource[resource] = this.byResource[resource].filter((reservation) => reservation.event !== event);
    }
  }

  /** The first time from `earliest` on, within one interval, when all uses fit; undefined if there is none. */
  firstFit(uses: readonly ResourceUse[], earliest: number): number | undefined {
    let last = Number.NaN;
    for (const time of this.candidates(uses, earliest)) {
      if (time !== last && uses.every((use) => this.fits(use, this.wrapped(time)))) return time;
      last = time;
    }
    return undefined;
  }

  /** Where something could fit: at once, or when something else ends; in order. */
  candidates(uses: readonly ResourceUse[], earliest: number): readonly number[] {
    const times = [earliest];
    for (const { resource } of uses) {
      for (const { start, seconds } of this.byResource[resource]) {
        times.push(earliest + this.wrapped(start + seconds - earliest));
      }
    }
    return times.sort((a, b) => a - b);
  }

  /** The events that would have to give way to uses at a time. */
  conflicts(uses: readonly ResourceUse[], time: number): readonly number[] {
    const inTheWay = new Set<number>();
    const start = this.wrapped(time);
    for (const use of uses) {
      if (this.fits(use, start)) continue;
      for (const other of this.byResource[use.resource]) {
        if (this.meet(start, use.seconds, other)) inTheWay.add(other.event);
      }
    }
    return [...inTheWay];
  }

  /** Whether there is room for a use. Most often that is plain from one other use, or from all that it meets together. */
  private fits({ resource, seconds, amount }: ResourceUse, start: number): boolean {
    const room = this.capacity[resource] + rounding;
    let together = 0;
    for (const other of this.byResource[resource]) {
      if (!this.meet(start, seconds, other)) continue;
      if (other.amount + amount > room) return false;
      together += other.amount;
    }
    if (together + amount <= room) return true;
    const meeting = this.byResource[resource].filter((other) => this.meet(start, seconds, other));
    return this.mostAtOnce(meeting, start, seconds) + amount <= room;
  }

  /** The most of a resource that others take at some instant of a use. */
  private mostAtOnce(others: readonly Reservation[], start: number, seconds: number): number {
    const instants = [start, ...others.map((other) => other.start).filter((at) => this.covers(start, seconds, at))];
    return instants.reduce((most, at) => {
      const taken = others.reduce((sum, o) => sum + (this.covers(o.start, o.seconds, at) ? o.amount : 0), 0);
      return Math.max(most, taken);
    }, 0);
  }

  private meet(start: number, seconds: number, other: Reservation): boolean {
    return this.covers(start, seconds, other.start) || this.covers(other.start, other.seconds, start);
  }

  /** Whether an instant lies in what begins at `start`, its end not included. */
  private covers(start: number, seconds: number, at: number): boolean {
    const offset = this.wrapped(at - start);
    return offset < seconds - rounding * this.interval;
  }

  private wrapped(time: number): number {
    const rest = time % this.interval;
    const positive = rest < 0 ? rest + this.interval : rest;
    return positive > this.interval * (1 - rounding) ? 0 : positive;
  }
}
