/**
 * Reads SCCL's topology JSON. `links[dst][src]` is the number of chunks that a link carries per round. Each entry of `switches`, [sources,
 * destinations, chunks, name], limits how many chunks all links from the sources to the destinations carry together per round. The format has neither
 * bandwidths nor latencies.
 */
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { JsonReader } from '../plan/json-reader.ts';
import { fileName, type MachineDocument, plainName, type WrittenLinks } from './document.ts';
import { type NumberPair, patternsOf } from './regular.ts';

/** Bandwidth in GB/s that is assumed for one chunk per round; the latency of every link is assumed, too. */
const unit = 25;
const latency = '1 us';

interface Share {
  readonly sources: readonly number[];
  readonly destinations: readonly number[];
  readonly chunks: number;
  readonly name: string;
  readonly range: SourceRange;
}

interface Found {
  name: string;
  links: readonly (readonly number[])[] | undefined;
  switches: readonly Share[];
  range: SourceRange;
}

/** Whether the first field of a text says that it is a topology of SCCL. */
export function isScclTopology({ text }: SourceText): boolean {
  return /^\s*\{\s*"m?sccl_type"\s*:\s*"topology"/.test(text);
}

/**
 * Reads a machine. A limit on the sends or the receives of one chip becomes a switch in front of that chip; other limits cannot be expressed and are
 * refused.
 * @throws CccError 'syntax', 'schema', 'limit', 'unsupported'
 */
export function readScclTopology(source: SourceText, limits: Limits): MachineDocument {
  const found = readTopology(source, limits);
  const matrix = found.links;
  if (matrix === undefined) throw new CccError('schema', "a topology needs 'links'", found.range);
  const chips = matrix.length;
  const { statements, switches } = linksOf(matrix, found.switches);
  return {
    name: plainName(found.name, 'machine'),
    about: `${chips} chips, read from the SCCL topology ${fileName(source.name)}.`,
    source: 'the file, which has chunks per round and no other numbers',
    lets: [],
    chips: String(chips),
    chipName: 'chip {r}',
    switches: switches.map((label) => ({ count: '1', name: label })),
    hosts: [],
    links: statements,
    groups: [],
    notes: [`assumed: a chunk per round is ${unit} GB/s, and a message takes ${latency}; --link sets both`],
  };
}

/** Parses the document. @throws CccError 'schema' (the JSON reader's 'malformed' would claim that the text is a wrong plan) */
function readTopology(source: SourceText, limits: Limits): Found {
  try {
    const json = new JsonReader(source);
    const found = topologyFrom(json, limits);
    json.end();
    return found;
  } catch (error) {
    if (!(error instanceof CccError) || error.code !== 'malformed') throw error;
    throw new CccError('schema', error.message, error.range);
  }
}

function topologyFrom(json: JsonReader, limits: Limits): Found {
  const start = json.offset;
  const found: Found = { name: '', links: undefined, switches: [], range: json.range(start) };
  json.object('a topology', (key) => {
    if (key === 'sccl_type' || key === 'msccl_type') json.word('the type of the document', ['topology']);
    else if (key === 'name') found.name = json.string('a name');
    else if (key === 'links') found.links = readMatrix(json, limits);
    else if (key === 'switches') found.switches = readShares(json, limits);
    else json.skip();
  });
  found.range = json.range(start);
  const chips = found.links?.length ?? 0;
  for (const { sources, destinations, range } of found.switches) {
    const wrong = [...sources, ...destinations].find((chip) => chip >= chips);
    if (wrong !== undefined) throw new CccError('schema', `there is no chip ${wrong}, only 0 … ${chips - 1}`, range);
  }
  return found;
}

function readMatrix(json: JsonReader, limits: Limits): number[][] {
  const start = json.offset;
  const rows: number[][] = [];
  json.list('links', () => {
    const row: number[] = [];
    const place = json.offset;
    json.list('links to one chip', () => row.push(json.integer('chunks per round', 0, 65_535)));
    if (row.length > limits.ranks)
      throw new CccError('limit', `more chips than the limit ranks = ${limits.ranks}`, json.range(place));
    if (rows.length > 0 && row.length !== rows[0].length) {
      throw json.malformed(`expected ${rows[0].length} numbers, one for each chip, found ${row.length}`, place);
    }
    rows.push(row);
  });
  if (rows.length === 0 || rows[0].length !== rows.length) {
    throw json.malformed(
      `expected as many rows as columns, found ${rows.length} rows of ${rows[0]?.length ?? 0}`,
      start,
    );
  }
  const self = rows.findIndex((row, chip) => row[chip] > 0);
  if (self !== -1) throw json.malformed(`a link from chip ${self} to itself`, start);
  return rows;
}

function readShares(json: JsonReader, limits: Limits): Share[] {
  const shares: Share[] = [];
  json.list('switches', () => {
    const start = json.offset;
    let [sources, destinations, chunks, name]: [number[], number[], number, string] = [[], [], 0, ''];
    let entries = 0;
    json.list('a switch [sources, destinations, chunks, name]', (index) => {
      entries++;
      if (index === 0) sources = readChips(json);
      else if (index === 1) destinations = readChips(json);
      else if (index === 2) chunks = json.integer('chunks per round', 1, 65_535);
      else name = json.string('a name');
    });
    if (entries !== 4)
      throw json.malformed(`expected [sources, destinations, chunks, name], found ${entries} entries`, start);
    if (shares.length >= limits.ranks)
      throw new CccError('limit', `more switches than the limit ranks = ${limits.ranks}`, json.range(start));
    shares.push({ sources, destinations, chunks, name, range: json.range(start) });
  });
  return shares;
}

function readChips(json: JsonReader): number[] {
  const chips: number[] = [];
  json.list('chips', () => chips.push(json.integer('a chip', 0)));
  return chips;
}

type End = { readonly kind: 'chip' | 'switch'; readonly index: number };

/**
 * Makes the links. The route of a message leads from its chip through the switch that limits the chip's sends, then through the one that limits the
 * receiver's receives.
 */
function linksOf(
  matrix: readonly (readonly number[])[],
  shares: readonly Share[],
): { readonly statements: WrittenLinks[]; readonly switches: string[] } {
  const hops = new Map<string, { readonly from: End; readonly to: End; readonly chunks: number }>();
  const add = (from: End, to: End, chunks: number): void => {
    hops.set([from.kind, from.index, to.kind, to.index].join(' '), { from, to, chunks });
  };
  for (const share of shares) {
    if (share.sources.length === 1 || share.destinations.length === 1) continue;
    const message = `the switch ${share.name} limits several chips to several: only a limit of one chip's sends or receives can be said`;
    throw new CccError('unsupported', message, share.range);
  }
  matrix.forEach((row, to) => {
    row.forEach((chunks, from) => {
      if (chunks === 0) return;
      const sends = theOnly(shares, from, to, ({ sources }) => sources.length === 1);
      const receives = theOnly(
        shares,
        from,
        to,
        ({ sources, destinations }) => sources.length > 1 && destinations.length === 1,
      );
      const path: End[] = [
        { kind: 'chip', index: from },
        ...[sends, receives].flatMap((index): End[] => (index === undefined ? [] : [{ kind: 'switch', index }])),
        { kind: 'chip', index: to },
      ];
      path.slice(1).forEach((next, hop) => {
        const isFirst = hop === 0 && sends !== undefined;
        const isLast = hop === path.length - 2 && receives !== undefined;
        const limit = isFirst ? shares[sends].chunks : isLast ? shares[receives].chunks : chunks;
        add(path[hop], next, limit);
      });
    });
  });
  const labels = shares.map(({ name }, index) => {
    const isTaken = shares.some((other, at) => at !== index && other.name === name);
    return isTaken ? `${plainName(name, 'switch')} ${index}` : plainName(name, `switch ${index}`);
  });
  return { statements: statementsOf([...hops.values()]), switches: labels };
}

/** Returns the one switch that a link goes through. @throws CccError 'unsupported' if there are several */
function theOnly(
  shares: readonly Share[],
  from: number,
  to: number,
  fits: (share: Share) => boolean,
): number | undefined {
  const through = shares.flatMap((share, index) =>
    fits(share) && share.sources.includes(from) && share.destinations.includes(to) ? [index] : [],
  );
  if (through.length <= 1) return through[0];
  const [first, second] = through.map((index) => shares[index]);
  throw new CccError(
    'unsupported',
    `the link from chip ${from} to chip ${to} is limited by ${first.name} and by ${second.name}`,
    second.range,
  );
}

function statementsOf(
  hops: readonly { readonly from: End; readonly to: End; readonly chunks: number }[],
): WrittenLinks[] {
  const known = new Map(hops.map((hop) => [[hop.from.kind, hop.from.index, hop.to.kind, hop.to.index].join(' '), hop]));
  const classes = new Map<
    string,
    {
      readonly from: End['kind'];
      readonly to: End['kind'];
      readonly chunks: number;
      readonly duplex: boolean;
      readonly pairs: NumberPair[];
    }
  >();
  for (const { from, to, chunks } of hops) {
    const back = known.get([to.kind, to.index, from.kind, from.index].join(' '));
    const duplex = back?.chunks === chunks;
    if (duplex && (from.kind === to.kind ? from.index > to.index : from.kind === 'switch')) continue;
    const key = [from.kind, to.kind, chunks, duplex].join(' ');
    const entry = classes.get(key) ?? { from: from.kind, to: to.kind, chunks, duplex, pairs: [] };
    classes.set(key, entry);
    entry.pairs.push([from.index, to.index]);
  }
  return [...classes.values()].map(({ from, to, chunks, duplex, pairs }): WrittenLinks => {
    const end = (kind: End['kind'], expression: string): string =>
      kind === 'chip' ? expression : `switch ${expression}`;
    const patterns = patternsOf(pairs, duplex && from === to).map(({ loops, ends }): WrittenLinks => {
      return { loops, ends: `${end(from, ends[0])} ${duplex ? '<->' : '->'} ${end(to, ends[1])}` };
    });
    const numbers = {
      comment: `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'} per round`,
      latency: from === 'chip' ? { text: latency, remark: 'assumed' } : { text: '0 us', remark: 'in the first hop' },
      bandwidth: { text: `${chunks * unit} GB/s`, remark: `assumed: ${unit} GB/s for a chunk per round` },
      units: chunks === 1 ? undefined : { text: String(chunks), remark: 'chunks per round' },
    };
    return patterns.length === 1 ? { ...numbers, ...patterns[0] } : { ...numbers, statements: patterns };
  });
}
