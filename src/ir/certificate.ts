/**
 * Certificates of lower bounds on the time of plans. Each kind belongs to one theorem (docs/bounds.md) and carries as its witness the numbers from
 * which an independent checker re-derives the bound.
 */
import type { Seconds } from './units.ts';

/**
 * Whether a theorem counts messages where they leave (`out`) or where they arrive (`in`); `in` is `out` on the transposed machine, backwards in time.
 */
export type Direction = 'out' | 'in';

/** By kind, the witness: what the check needs besides the machine and the collective. Ranks and nodes are numbered from 0. */
export interface Witnesses {
  readonly trivial: Readonly<Record<never, never>>;
  readonly latency: { readonly from: number; readonly to: number };
  readonly overheads: { readonly from: number; readonly to: number };
  readonly spreading: { readonly direction: Direction; readonly hub: number };
  readonly families: {
    readonly direction: Direction;
    readonly hub: number;
    /** The min distance θ between classes, the length of a time step (both in seconds), and a price for each number of steps. */
    readonly apart: Seconds;
    readonly unit: Seconds;
    readonly prices: readonly number[];
  };
  /** The nodes inside the cut, the ranks whose values are counted, and the ranks that need these values. */
  readonly cut: {
    readonly inside: readonly number[];
    readonly sources: readonly number[];
    readonly targets: readonly number[];
  };
  readonly messages: { readonly direction: Direction };
  /**
   * Lengths by link. `distances` is for alltoalls, `spans` for allreduces and custom collectives, `stretches` for scans, and `routes` for other
   * collectives that spread or gather data along routes.
   */
  readonly distances: { readonly lengths: readonly number[] };
  readonly spans: { readonly lengths: readonly number[] };
  readonly stretches: { readonly lengths: readonly number[] };
  readonly routes: { readonly lengths: readonly number[] };
  readonly reductions: Readonly<Record<never, never>>;
  readonly staging: { readonly rank: number };
  readonly 'copied-first': { readonly direction: Direction; readonly rank: number };
  /** The price of a reduced byte, in sent bytes. */
  readonly 'stopped-links': { readonly direction: Direction; readonly price: number };
  readonly 'first-hand': { readonly rank: number; readonly contributors: readonly number[] };
  readonly gathering: { readonly direction: Direction; readonly rank: number };
  readonly row: { readonly direction: Direction; readonly rank: number };
  readonly straight: { readonly direction: Direction };
  readonly relay: { readonly root: number; readonly direction: Direction; readonly chips: readonly number[] };
  readonly 'handing-on': { readonly root: number; readonly direction: Direction; readonly chips: readonly number[] };
  readonly passing: { readonly root: number; readonly direction: Direction; readonly through: number };
}

export type CertificateKind = keyof Witnesses;

/** The fields that all certificates share. */
export interface Claim {
  readonly kind: string;
  /** The lower bound: no correct plan takes less. */
  readonly seconds: Seconds;
  /** One sentence for people. */
  readonly reason: string;
}

/** A claim of each kind with the witness of that kind. */
export type Certificates<Kinds> = {
  readonly [Kind in keyof Kinds & string]: Claim & { readonly kind: Kind; readonly witness: Kinds[Kind] };
};

export type Certificate<Kind extends CertificateKind = CertificateKind> = Certificates<Witnesses>[Kind];

/** Witnesses for compact plans, on machines that look the same from every chip, so that one chip represents all (docs/bounds.md, *Compact plans*). */
export interface CompactWitnesses {
  readonly trivial: Readonly<Record<never, never>>;
  readonly latency: { readonly from: number; readonly to: number };
  /** The cut around chip `from`, with chip `to` as the only target. */
  readonly pair: { readonly from: number; readonly to: number };
  readonly spreading: { readonly direction: Direction };
  readonly distance: { readonly distance: Seconds };
  readonly gathering: Readonly<Record<never, never>>;
  readonly row: Readonly<Record<never, never>>;
  /** The cut around the chips that differ from a given one only on these axes. */
  readonly cut: { readonly axes: readonly number[] };
  /** Lengths of links, by generator. */
  readonly distances: { readonly lengths: readonly number[] };
  readonly messages: { readonly direction: Direction };
  readonly reductions: Readonly<Record<never, never>>;
  readonly 'stopped-links': Readonly<Record<never, never>>;
}

export type CompactCertificate<Kind extends keyof CompactWitnesses = keyof CompactWitnesses> =
  Certificates<CompactWitnesses>[Kind];
