/** Reads the XML of an MSCCL algorithm, and checks the nesting of elements and the values of attributes. */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import type { PlanBuffer, Slice } from '../../ir/plan.ts';
import { readXml, type XmlElement } from '../xml.ts';
import {
  type MscclAlgorithm,
  type MscclGpu,
  type MscclStep,
  type MscclThreadBlock,
  protocols,
  spellings,
  stepFacts,
  stepTypes,
} from './algorithm.ts';

/** The parent of each element. */
const parents = new Map([
  ['algo', undefined],
  ['gpu', 'algo'],
  ['tb', 'gpu'],
  ['step', 'tb'],
]);

const buffers: Readonly<Record<'i' | 'o' | 's', PlanBuffer>> = { i: 'input', o: 'output', s: 'scratch' };

/** Attributes that runtimes require, but that not every tool writes. */
const demanded = ['inplace', 'outofplace', 'minBytes', 'maxBytes'] as const;

/**
 * Reads an algorithm.
 * @throws CccError 'syntax' for text that is not XML, 'malformed' for missing elements and wrong values, 'limit'
 */
export function readMscclAlgorithm(source: SourceText, limits: Limits): MscclAlgorithm {
  const reader = new AlgorithmReader(limits);
  readXml(source, reader);
  return reader.finish(source);
}

class AlgorithmReader {
  private readonly limits: Limits;
  /** The names of the open elements, outermost first. */
  private readonly path: string[] = [];
  private readonly gpus = new Map<number, MscclGpu>();
  private algorithm: Omit<MscclAlgorithm, 'gpus' | 'steps'> | undefined = undefined;
  private gpu: MscclGpu | undefined = undefined;
  private block: MscclThreadBlock | undefined = undefined;
  private steps = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  open(element: XmlElement): void {
    const parent = this.path.at(-1);
    if (!parents.has(element.name) || parents.get(element.name) !== parent) {
      const where =
        parent === undefined ? 'an MSCCL algorithm starts with <algo>' : `there is no such element in <${parent}>`;
      throw new CccError('malformed', `<${element.name}>: ${where}`, element.range);
    }
    this.path.push(element.name);
    if (this.algorithm === undefined) this.algorithm = readHeader(element, this.limits);
    else if (element.name === 'gpu') this.gpu = this.openGpu(element, this.algorithm.ranks);
    else if (this.gpu !== undefined && element.name === 'tb') this.block = this.openBlock(element, this.gpu);
    else if (this.gpu !== undefined && this.block !== undefined) this.readStep(element, this.gpu, this.block);
  }

  close(): void {
    this.path.pop();
  }

  /** @throws CccError 'malformed' if a gpu is missing */
  finish(source: SourceText): MscclAlgorithm {
    const { algorithm } = this;
    if (algorithm === undefined) {
      throw new CccError('malformed', 'an MSCCL algorithm starts with <algo>', { source, start: 0, end: 0 });
    }
    const gpus = Array.from({ length: algorithm.ranks }, (_, rank) => {
      const gpu = this.gpus.get(rank);
      if (gpu === undefined) throw algorithm.element.malformed('ngpus', `there is no <gpu> with id ${rank}`);
      return gpu;
    });
    return { ...algorithm, gpus, steps: this.steps };
  }

  private openGpu(element: XmlElement, ranks: number): MscclGpu {
    const id = element.integer('id', 0, ranks - 1);
    if (this.gpus.has(id)) throw element.malformed('id', `there already is a <gpu> with id ${id}`);
    const declared = {
      input: element.integer('i_chunks', 0),
      output: element.integer('o_chunks', 0),
      scratch: element.integer('s_chunks', 0),
    };
    if (declared.scratch > this.limits.chunks) throw tooMany('chunks', this.limits.chunks, element);
    const gpu: MscclGpu = { id, declared, blocks: new Map(), range: element.range };
    this.gpus.set(id, gpu);
    return gpu;
  }

  private openBlock(element: XmlElement, gpu: MscclGpu): MscclThreadBlock {
    const id = element.integer('id', 0);
    if (gpu.blocks.has(id)) throw element.malformed('id', `gpu ${gpu.id} already has a <tb> with id ${id}`);
    const most = (this.algorithm?.ranks ?? 1) - 1;
    const block: MscclThreadBlock = {
      id,
      send: element.integer('send', -1, most),
      receive: element.integer('recv', -1, most),
      channel: element.integer('chan', 0),
      steps: [],
      range: element.range,
    };
    if (block.send === gpu.id) throw element.malformed('send', `gpu ${gpu.id} cannot send to itself`);
    if (block.receive === gpu.id) throw element.malformed('recv', `gpu ${gpu.id} cannot receive from itself`);
    gpu.blocks.set(id, block);
    return block;
  }

  private readStep(element: XmlElement, gpu: MscclGpu, block: MscclThreadBlock): void {
    if (this.steps++ >= this.limits.operations) throw tooMany('operations', this.limits.operations, element);
    const type = element.word('type', stepTypes, 'a type of step');
    const { source, target, sends, receives } = stepFacts[type];
    if (element.integer('s', 0) !== block.steps.length) {
      throw element.malformed('s', `expected ${block.steps.length}: steps are numbered in the order they stand in`);
    }
    if (sends && block.send === -1) throw element.malformed('type', `${type} sends, but its <tb> has send="-1"`);
    if (receives && block.receive === -1)
      throw element.malformed('type', `${type} receives, but its <tb> has recv="-1"`);
    const awaited = element.integer('depid', -1);
    const step: MscclStep = {
      type,
      rank: gpu.id,
      block: block.id,
      index: block.steps.length,
      source: source ? readSlice(element, 'srcbuf', 'srcoff') : undefined,
      target: target ? readSlice(element, 'dstbuf', 'dstoff') : undefined,
      wait: awaited === -1 ? undefined : { block: awaited, step: element.integer('deps', 0) },
      publishes: element.integer('hasdep', 0, 1) === 1,
      element,
    };
    block.steps.push(step);
  }
}

function readHeader(element: XmlElement, limits: Limits): Omit<MscclAlgorithm, 'gpus' | 'steps'> {
  const ranks = element.integer('ngpus', 1);
  if (ranks > limits.ranks) throw tooMany('ranks', limits.ranks, element);
  const chunksPerLoop = element.integer('nchunksperloop', 1);
  if (chunksPerLoop > limits.chunks) throw tooMany('chunks', limits.chunks, element);
  const [least, most] = ['minBytes', 'maxBytes'].map((name) => (element.has(name) ? element.size(name) : 0));
  const inPlace = element.has('inplace') && element.integer('inplace', 0, 1) === 1;
  return {
    name: element.text('name'),
    protocol: element.word('proto', protocols, 'a protocol'),
    collective: element.word('coll', spellings, 'a collective of this format'),
    ranks,
    channels: element.integer('nchannels', 1),
    chunksPerLoop,
    inPlace,
    outOfPlace: element.has('outofplace') ? element.integer('outofplace', 0, 1) === 1 : !inPlace,
    messages: { least, most: most === 0 ? Number.POSITIVE_INFINITY : most },
    missing: demanded.filter((attribute) => !element.has(attribute)),
    element,
  };
}

function readSlice(element: XmlElement, buffer: string, offset: string): Slice {
  return {
    buffer: buffers[element.word(buffer, ['i', 'o', 's'], 'a buffer')],
    offset: element.integer(offset, 0),
    count: element.integer('cnt', 1),
  };
}

function tooMany(limit: keyof Limits, most: number, element: XmlElement): CccError {
  return new CccError(
    'limit',
    `more ${limit} than the limit ${limit} = ${most}; --limit ${limit}=… raises it`,
    element.range,
  );
}
