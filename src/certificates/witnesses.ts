/** Reads the witness of each kind of certificate from untrusted JSON: every number is checked to be in range for the machine. */
import type { CertificateKind, Witnesses } from '../ir/certificate.ts';
import type { Topology } from '../ir/topology.ts';
import { longestTime } from '../ir/units.ts';
import type { WitnessFields } from './fields.ts';

/** Upper limits: the price of a reduced byte, in sent bytes (`stopped-links`), and the number of prices of a `families` witness. */
const most = { price: 1e15, prices: 1000 } as const;

/** By kind, the function that reads its witness. @throws Unreadable if a field is missing, of the wrong type or out of range */
export const witnesses: {
  readonly [Kind in CertificateKind]: (fields: WitnessFields, topology: Topology) => Witnesses[Kind];
} = {
  trivial: () => ({}),
  latency: pairFrom,
  overheads: pairFrom,
  spreading: (fields, { chips }) => ({ direction: fields.direction(), hub: fields.index('hub', chips.length) }),
  families: (fields, { chips }) => ({
    direction: fields.direction(),
    hub: fields.index('hub', chips.length),
    apart: fields.number('apart', 0, longestTime),
    unit: fields.number('unit', Number.MIN_VALUE, longestTime),
    prices: fields.numbers('prices', most.prices, chips.length),
  }),
  cut: (fields, { chips, nodes }) => ({
    inside: fields.indices('inside', nodes.length),
    sources: fields.indices('sources', chips.length),
    targets: fields.indices('targets', chips.length),
  }),
  messages: (fields) => ({ direction: fields.direction() }),
  distances: lengthsFrom,
  spans: lengthsFrom,
  stretches: lengthsFrom,
  routes: lengthsFrom,
  reductions: () => ({}),
  staging: (fields, { chips }) => ({ rank: fields.index('rank', chips.length) }),
  'copied-first': rankFrom,
  'stopped-links': (fields) => ({ direction: fields.direction(), price: fields.number('price', 0, most.price) }),
  'first-hand': (fields, { chips }) => ({
    rank: fields.index('rank', chips.length),
    contributors: fields.indices('contributors', chips.length),
  }),
  gathering: rankFrom,
  row: rankFrom,
  straight: (fields) => ({ direction: fields.direction() }),
  relay: relayFrom,
  'handing-on': relayFrom,
  passing: (fields, { chips }) => ({
    root: fields.index('root', chips.length),
    direction: fields.direction(),
    through: fields.index('through', chips.length),
  }),
};

function lengthsFrom(fields: WitnessFields, { links }: Topology): Witnesses['distances'] {
  return { lengths: fields.lengths(links.length) };
}

function pairFrom(fields: WitnessFields, { chips }: Topology): Witnesses['latency'] {
  return { from: fields.index('from', chips.length), to: fields.index('to', chips.length) };
}

function rankFrom(fields: WitnessFields, { chips }: Topology): Witnesses['gathering'] {
  return { direction: fields.direction(), rank: fields.index('rank', chips.length) };
}

function relayFrom(fields: WitnessFields, { chips }: Topology): Witnesses['relay'] {
  return {
    root: fields.index('root', chips.length),
    direction: fields.direction(),
    chips: fields.indices('chips', chips.length),
  };
}
