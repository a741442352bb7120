/** Writes the XML. Some runtimes parse it by hand: one space between attributes, no tabs, no XML declaration, no entities. */
import type { Plan, PlanBuffer, Slice } from '../../ir/plan.ts';
import type { Arranged } from './arrange.ts';
import type { EmittedProtocol, EmittedStep, EmittedThreadBlock, MscclProfile } from './target.ts';

const bufferLetters: Readonly<Record<PlanBuffer, 'i' | 'o' | 's'>> = { input: 'i', output: 'o', scratch: 's' };

/** Collectives for which the format counts the chunks of all ranks' shards. */
const countsAllShards = new Set(['allgather', 'reducescatter', 'alltoall']);

export function* algorithmText(
  plan: Plan,
  { channels, gpus }: Arranged,
  profile: MscclProfile,
  protocol: EmittedProtocol,
): Iterable<string> {
  const { kind, ranks, chunks, inPlace } = plan.collective;
  const perLoop = countsAllShards.has(kind) ? ranks * chunks : chunks;
  yield tag('algo', {
    name: plainName(plan.name),
    proto: protocol,
    nchannels: channels,
    nchunksperloop: perLoop,
    ngpus: ranks,
    coll: profile.spelling[kind] ?? kind,
    inplace: inPlace ? 1 : 0,
    outofplace: inPlace ? 0 : 1,
    minBytes: 0,
    maxBytes: 0,
  });
  for (let rank = 0; rank < gpus.length; rank++) {
    const { input, output, scratch } = plan.buffers[rank];
    yield `  ${tag('gpu', { id: rank, i_chunks: input, o_chunks: output, s_chunks: scratch })}`;
    for (const [id, block] of gpus[rank].blocks.entries()) yield blockText(id, block);
    yield '  </gpu>\n';
  }
  yield '</algo>\n';
}

function blockText(id: number, { send, receive, channel, steps, published }: EmittedThreadBlock): string {
  const lines = steps.map((step, index) => `      ${stepText(index, step, published.has(index))}`);
  return `    ${tag('tb', { id, send, recv: receive, chan: channel })}${lines.join('')}    </tb>\n`;
}

/** Writes a step. If it has no source or no target, the attribute is required but meaningless, and repeats the other one. */
function stepText(index: number, { type, source, target, wait }: EmittedStep, isPublished: boolean): string {
  const nowhere: Slice = { buffer: 'input', offset: 0, count: 0 };
  const read = source ?? target ?? nowhere;
  const written = target ?? read;
  const attributes = {
    s: index,
    type,
    srcbuf: bufferLetters[read.buffer],
    srcoff: read.offset,
    dstbuf: bufferLetters[written.buffer],
    dstoff: written.offset,
    cnt: read.count,
    depid: wait?.block ?? -1,
    deps: wait?.step ?? -1,
    hasdep: isPublished ? 1 : 0,
  };
  return tag('step', attributes, '/>');
}

function tag(name: string, attributes: Readonly<Record<string, string | number>>, end = '>'): string {
  const written = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${value}"`);
  return `<${name}${written.join('')}${end}\n`;
}

/** The name, restricted to characters that need no entities and to the length for which runtimes have room. */
function plainName(name: string): string {
  return name.replace(/[^\w.:+-]+/g, '_').slice(0, 128);
}
