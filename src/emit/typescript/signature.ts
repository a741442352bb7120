/** The signature of a collective's function: its buffers, and how many shards each has, as expressions. */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';

/** A buffer that the caller passes; in place there is one for input and output. */
export interface BufferParameter {
  readonly name: 'input' | 'output' | 'buffer';
  /** The number of shards in it, as an expression of `rank`: `ranks` or 1; 0 if a rank has no such buffer. */
  readonly shards: string;
}

/** The number of shards in the input and output of a rank. Collectives without shards count the whole vector as one. */
const shardsOf: Readonly<Record<Exclude<CollectiveKind, 'custom'>, readonly [input: string, output: string]>> = {
  allgather: ['1', 'ranks'],
  reducescatter: ['ranks', '1'],
  allreduce: ['1', '1'],
  broadcast: ['rank === root ? 1 : 0', '1'],
  reduce: ['1', 'rank === root ? 1 : 0'],
  scatter: ['rank === root ? ranks : 0', '1'],
  gather: ['1', 'rank === root ? ranks : 0'],
  alltoall: ['ranks', 'ranks'],
  scan: ['1', '1'],
  exscan: ['1', '1'],
  barrier: ['1', '0'],
};

/** The parameters in order. A barrier has none, since its token is internal. */
export function parametersOf(collective: Collective): readonly BufferParameter[] {
  const [input, output] = bufferShards(collective);
  if (collective.kind === 'barrier') return [];
  if (!collective.inPlace) {
    return [
      { name: 'input', shards: input },
      { name: 'output', shards: output },
    ];
  }
  return [{ name: 'buffer', shards: sharedShards(collective) }];
}

/** Shards of input and output, as expressions. */
export function bufferShards({ kind }: Collective): readonly [input: string, output: string] {
  if (kind === 'custom') throw new Error('a custom collective has no signature');
  return shardsOf[kind];
}

/** The number of shards of the buffer that contains both input and output. */
function sharedShards({ kind }: Collective): string {
  switch (kind) {
    case 'allgather':
    case 'reducescatter':
    case 'alltoall':
      return 'ranks';
    case 'scatter':
    case 'gather':
      return 'rank === root ? ranks : 1';
    default:
      return '1';
  }
}

/** In place: the first chunk of input and of output in the buffer that they share, as expressions (docs/collectives.md). */
export function sharedOffsets({ kind }: Collective): readonly [input: string, output: string] {
  switch (kind) {
    case 'allgather':
      return ['rank * chunks', '0'];
    case 'reducescatter':
      return ['0', 'rank * chunks'];
    case 'gather':
      return ['rank === root ? root * chunks : 0', '0'];
    case 'scatter':
      return ['0', 'rank === root ? root * chunks : 0'];
    default:
      return ['0', '0'];
  }
}

/** The elements of one shard, as an expression of the length of a buffer. A length that is not divisible is rejected later. */
export function shardExpression(collective: Collective): string {
  const { kind, inPlace } = collective;
  if (inPlace) {
    const shards = sharedShards(collective);
    if (shards === '1') return 'buffer.length';
    return `Math.floor(buffer.length / ${shards === 'ranks' ? shards : `(${shards})`})`;
  }
  switch (kind) {
    case 'reducescatter':
    case 'scatter':
    case 'broadcast':
      return 'output.length';
    case 'alltoall':
      return 'Math.floor(input.length / ranks)';
    default:
      return 'input.length';
  }
}

/** What the function does, for its doc comment. */
export function purposeOf({ kind, root, op }: Collective): string {
  switch (kind) {
    case 'allgather':
      return "`output` gets every rank's `input`, in the order of the ranks.";
    case 'reducescatter':
      return `\`output\` gets this rank's shard of the ${op} of all ranks' \`input\`.`;
    case 'allreduce':
      return `\`output\` gets the ${op} of all ranks' \`input\`.`;
    case 'broadcast':
      return `\`output\` gets the \`input\` of rank ${root}.`;
    case 'reduce':
      return `\`output\` of rank ${root} gets the ${op} of all ranks' \`input\`.`;
    case 'scatter':
      return `\`output\` gets this rank's shard of the \`input\` of rank ${root}.`;
    case 'gather':
      return `\`output\` of rank ${root} gets every rank's \`input\`, in the order of the ranks.`;
    case 'alltoall':
      return "Shard i of `output` gets the shard of rank i's `input` that is meant for this rank.";
    case 'scan':
      return `\`output\` gets the ${op} of the \`input\` of ranks 0 … this one, in rank order.`;
    case 'exscan':
      return `\`output\` gets the ${op} of the \`input\` of the ranks before this one, in rank order; rank 0 gets nothing.`;
    case 'barrier':
      return 'Resolves when every rank has called it.';
    case 'custom':
      return '';
  }
}
