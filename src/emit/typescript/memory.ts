/** The part of an emitted file that maps a slice of chunks to elements. There are two variants, of which a file has one. */
import type { Collective } from '../../ir/collective.ts';
import type { Plan } from '../../ir/plan.ts';
import type { Features } from './features.ts';
import { bufferShards, parametersOf, sharedOffsets } from './signature.ts';

/** The function that returns the lengths of all shards. It serves to check buffers and, in the demo, to allocate them. */
export function shardSizesText({ plan: { collective } }: Features, elementBytes: number): string {
  const { counts, inPlace, kind } = collective;
  const [input, output] = bufferShards(collective);
  const rows = [
    ['input', input],
    ['output', output],
    ...(inPlace ? parametersOf(collective).map(({ name, shards }) => [name, shards]) : []),
  ].map(([name, shards]) => `    ${name}: ${sizesExpression(collective, name, shards)},\n`);
  const body = rows.join('');
  const rank = /\brank\b/.test(body) ? 'rank' : '_rank';
  if (counts === undefined) {
    return `/** Lengths of the shards in each buffer of a rank, for shards of \`shard\` elements. */
function shardSizes(${rank}: number, shard: number) {
  return {
${body}  } satisfies Record<string, readonly number[]>;
}`;
  }
  const order = kind === 'alltoall' ? ', those of rank 0 first' : '';
  return `/** Elements of each shard${order}. */
const counts: readonly number[] = [${counts.map((bytes) => bytes / elementBytes).join(', ')}];

/** Lengths of the shards in each buffer of a rank. */
function shardSizes(${rank}: number) {
  return {
${body}  } satisfies Record<string, readonly number[]>;
}`;
}

function sizesExpression({ kind, counts }: Collective, buffer: string, shards: string): string {
  if (counts === undefined) {
    if (shards === '0') return '[]';
    return shards === '1' ? '[shard]' : `new Array<number>(${shards}).fill(shard)`;
  }
  if (kind === 'alltoall') {
    if (buffer === 'input') return 'counts.slice(rank * ranks, (rank + 1) * ranks)';
    return 'counts.filter((_, index) => index % ranks === rank)';
  }
  switch (shards) {
    case 'ranks':
      return 'counts';
    case '1':
      return '[counts[rank]]';
    default:
      return shards
        .replace(/\branks\b/, 'counts')
        .replace(/ : 0$/, ' : []')
        .replace(/ : 1$/, ' : [counts[rank]]');
  }
}

/** The variant that uses the caller's buffers directly, and cuts each shard at ⌊i·n / (chunks · bulks)⌋ units. */
export const unevenBuffers = ({
  unit,
}: Features): string => `/** A buffer in shards of \`edges[i]\` … \`edges[i + 1]\`; chunk 0 of the program is chunk \`first\` of the buffer. */
interface Buffer {
  readonly elements: Elements;
  readonly edges: readonly number[];
  readonly first: number;
}

function bufferOf(name: string, elements: Elements, sizes: readonly number[], first = 0): Buffer {
  const edges = [0];
  for (const size of sizes) edges.push(edges[edges.length - 1] + size);
  expectLength(name, elements.length, edges[edges.length - 1]);
  return { elements, edges, first };
}

/** Each shard of n ${unit === 1 ? 'elements' : 'units'} is cut at ⌊i·n / (chunks · bulks)⌋; bulk b has pieces b · chunks, b · chunks + 1 … of each. */
function viewOf({ elements, edges, first }: Buffer, { offset, count }: Slice, bulk: number): Elements {
  const edge = (chunk: number, next: number): number => {
    const shard = Math.floor(chunk / chunks);
    const piece = bulk * chunks + (chunk % chunks) + next;
${
  unit === 1
    ? '    return edges[shard] + Math.floor((piece * (edges[shard + 1] - edges[shard])) / (chunks * bulks));'
    : `    const size = edges[shard + 1] - edges[shard];
    return edges[shard] + Math.min(size, unit * Math.floor((piece * Math.ceil(size / unit)) / (chunks * bulks)));`
}
  };
  return elements.subarray(edge(first + offset, 0), edge(first + offset + count - 1, 1));
}`;

/** The variant in which all chunks have `cell` elements. It uses the caller's buffers if they have that layout, else copies. */
export const evenBuffers = ({
  bulks,
}: Plan): string => `/** A buffer in which all chunks have \`cell\` elements and each bulk has its chunks, \`chunksPerBulk\` of them, together. */
interface Buffer {
  readonly elements: Elements;
  readonly cell: number;
  readonly chunksPerBulk: number;
  /** Bulks that there is room for; the others take turns. */
  readonly room: number;
  /** Chunk 0 of the program is this chunk of the buffer. */
  readonly first: number;
}

/** The caller's elements themselves where they lie like that, otherwise room for a copy of them. */
function bufferOf(name: string, elements: Elements, sizes: readonly number[], cell: number, first = 0): Buffer {
  expectLength(name, elements.length, sum(sizes));
  const chunksPerBulk = sizes.length * chunks;
  const fits = sizes.every((size) => size === bulks * chunks * cell)${bulks === 1 ? '' : ' && sizes.length <= 1'};
  const own = fits ? elements : new Elements(bulks * chunksPerBulk * cell);
  return { elements: own, cell, chunksPerBulk, room: bulks, first };
}

function viewOf(buffer: Buffer, { offset, count }: Slice, bulk: number): Elements {
  const { elements, cell, chunksPerBulk, room, first } = buffer;
  const start = ((bulk % room) * chunksPerBulk + first + offset) * cell;
  return elements.subarray(start, start + count * cell);
}`;

/** Copies between the caller's buffers and those on which the program works, if they differ. */
export const copyShardsText = `/** Copies the shards of the caller's buffer into the one that the program works on, or back. */
function copyShards(direction: 'in' | 'out', theirs: Elements, own: Buffer, sizes: readonly number[]): void {
  const { elements, cell } = own;
  if (elements === theirs) return;
  const part = chunks * cell;
  for (let shard = 0, start = 0; shard < sizes.length; start += sizes[shard++]) {
    for (let bulk = 0; bulk < bulks; bulk++) {
      const from = start + Math.min(bulk * part, sizes[shard]);
      const to = start + Math.min((bulk + 1) * part, sizes[shard]);
      const at = (bulk * sizes.length + shard) * part;
      if (direction === 'in') elements.set(theirs.subarray(from, to), at);
      else theirs.set(elements.subarray(at, at + to - from), from);
    }
  }
}`;

/** Scratch memory with chunks of the same size as in the other buffers. */
export const scratchBuffer = `function scratchOf(chunksPerBulk: number, room: number, cell: number): Buffer {
  return { elements: new Elements(room * chunksPerBulk * cell), cell, chunksPerBulk, room, first: 0 };
}`;

export const expectLengthText = `function expectLength(name: string, length: number, expected: number): void {
  if (length === expected) return;
  throw new RangeError(\`\${name} has \${length} elements, expected \${expected}\`);
}`;

/** The memory of a program as an object literal, with one entry for each buffer that it uses. */
export function memoryEntries({
  plan: { collective, buffers, scratchPerBulk },
  evenChunks,
  usesScratch,
}: Features): readonly string[] {
  const cell = evenChunks ? ', cell' : '';
  const entries: string[] = [];
  if (collective.inPlace && parametersOf(collective).length > 0) {
    sharedOffsets(collective).forEach((first, index) => {
      const at = first === '0' ? '' : `, first: ${first}`;
      entries.push(`${['input', 'output'][index]}: ${at === '' ? 'shared' : `{ ...shared${at} }`}`);
    });
  } else {
    entries.push(`input: bufferOf('input', input, sizes.input${cell})`);
    entries.push(`output: bufferOf('output', output, sizes.output${cell})`);
  }
  if (!usesScratch) return entries;
  const sizes = buffers.map(({ scratch }) => scratch);
  const alike = sizes.every((size) => size === sizes[0]);
  const slots = alike ? String(sizes[0]) : 'scratchChunks[rank]';
  return [...entries, `scratch: scratchOf(${slots}, ${scratchPerBulk}, cell)`];
}
