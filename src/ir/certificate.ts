/** Why no plan can be faster: one kind of certificate for each theorem (docs/bounds.md), with the numbers from which it can be checked. */
import type { Seconds } from './units.ts';

/** Whether messages are looked at where they leave, or, backwards in time, where they arrive. */
export type Direction = 'out' | 'in';

/** What each kind's check needs, besides the machine and what is asked of it. Ranks and nodes are numbers from 0. */
export interface Witnesses {
  readonly trivial: Readonly<Record<never, never>>;
  readonly latency: { readonly from: number; readonly to: number };
  readonly overheads: { readonly from: number; readonly to: number };
  readonly spreading: { readonly direction: Direction; readonly hub: number };
  readonly families: {
    readonly direction: Direction;
    readonly hub: number;
    /** θ, and the step of time for which each price stands. */
    readonly apart: Seconds;
    readonly unit: Seconds;
    readonly prices: readonly number[];
  };
  /** Nodes inside, ranks inside whose values are counted, ranks that need them. */
  readonly cut: {
    readonly inside: readonly number[];
    readonly sources: readonly number[];
    readonly targets: readonly number[];
  };
  readonly messages: { readonly direction: Direction };
  /** Lengths by link: of alltoalls, of allreduces and custom collectives, of scans, and of what spreads or comes together along routes. */
  readonly distances: { readonly lengths: readonly number[] };
  readonly spans: { readonly lengths: readonly number[] };
  readonly stretches: { readonly lengths: readonly number[] };
  readonly routes: { readonly lengths: readonly number[] };
  readonly reductions: Readonly<Record<never, never>>;
  readonly staging: { readonly rank: number };
  readonly 'copied-first': { readonly direction: Direction; readonly rank: number };
  /** Of a byte reduced, in bytes sent. */
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

/** What every certificate says. */
export interface Claim {
  readonly kind: string;
  /** No correct plan takes less. */
  readonly seconds: Seconds;
  /** One sentence for people. */
  readonly reason: string;
}

/** A claim of each kind with the witness of that kind. */
export type Certificates<Kinds> = {
  readonly [Kind in keyof Kinds & string]: Claim & { readonly kind: Kind; readonly witness: Kinds[Kind] };
};

export type Certificate<Kind extends CertificateKind = CertificateKind> = Certificates<Witnesses>[Kind];

/** The same for machines that look the same from every chip, where one chip says enough (docs/bounds.md, *Compact plans*). */
export interface CompactWitnesses {
  readonly trivial: Readonly<Record<never, never>>;
  readonly latency: { readonly from: number; readonly to: number };
  /** What one rank needs of another, over all links. */
  readonly pair: { readonly from: number; readonly to: number };
  readonly spreading: { readonly direction: Direction };
  readonly distance: { readonly distance: Seconds };
  readonly gathering: Readonly<Record<never, never>>;
  readonly row: Readonly<Record<never, never>>;
  /** Chips that differ on these axes alone. */
  readonly cut: { readonly axes: readonly number[] };
  /** By generator. */
  readonly distances: { readonly lengths: readonly number[] };
  readonly messages: { readonly direction: Direction };
  readonly reductions: Readonly<Record<never, never>>;
  readonly 'stopped-links': Readonly<Record<never, never>>;
}

export type CompactCertificate<Kind extends keyof CompactWitnesses = keyof CompactWitnesses> =
  Certificates<CompactWitnesses>[Kind];
