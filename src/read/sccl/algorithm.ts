/** Reads SCCL's algorithm JSON: chunks with their places before and after the collective, and steps of sends [address, source, destination]. */
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { JsonReader } from '../plan/json-reader.ts';

/** A chunk: the ranks that have it at the start, and those that must have it at the end. Chunks with the same address are reduced when they meet. */
export interface Chunk {
  readonly address: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly range: SourceRange;
}

export interface Send {
  readonly address: number;
  readonly source: number;
  readonly destination: number;
  readonly range: SourceRange;
}

export interface ScclStep {
  readonly rounds: number;
  readonly sends: readonly Send[];
}

export interface ScclAlgorithm {
  readonly name: string;
  readonly ranks: number;
  readonly chunks: readonly Chunk[];
  readonly steps: readonly ScclStep[];
  /** The range of the whole document. */
  readonly range: SourceRange;
}

/** Whether a text is an SCCL algorithm, as its first field says. */
export function isScclText({ text }: SourceText): boolean {
  return /^\s*\{\s*"m?sccl_type"\s*:/.test(text);
}

/** @throws CccError 'syntax' for text that is not JSON, 'malformed' for JSON that is no algorithm, 'limit' */
export function readScclAlgorithm(source: SourceText, limits: Limits): ScclAlgorithm {
  const json = new JsonReader(source);
  const start = json.offset;
  const found: { name?: string; steps?: ScclStep[]; collective?: Pick<ScclAlgorithm, 'ranks' | 'chunks'> } = {};
  json.object('an algorithm', (key) => {
    if (key === 'sccl_type' || key === 'msccl_type') json.word('the type of the document', ['algorithm']);
    else if (key === 'name') found.name = json.string('a name');
    else if (key === 'steps') found.steps = readSteps(json, limits);
    else if (key === 'collective') found.collective = readCollective(json, limits);
    else json.skip();
  });
  json.end();
  const { name, steps, collective } = found;
  if (name === undefined) throw json.malformed("an algorithm needs 'name'", start);
  if (steps === undefined) throw json.malformed("an algorithm needs 'steps'", start);
  if (collective === undefined) throw json.malformed("an algorithm needs 'collective'", start);
  return { name, steps, ...collective, range: json.range(start) };
}

function readSteps(json: JsonReader, limits: Limits): ScclStep[] {
  const steps: ScclStep[] = [];
  let sent = 0;
  json.list('steps', () => {
    const start = json.offset;
    const sends: Send[] = [];
    let rounds: number | undefined;
    json.object('a step', (key) => {
      if (key === 'rounds') rounds = json.integer('a number of rounds', 0);
      else if (key !== 'sends') json.skip();
      else {
        json.list('sends', () => {
          if (sent++ >= limits.operations) throw tooMany(json, 'operations', limits);
          sends.push(readSend(json));
        });
      }
    });
    if (rounds === undefined) throw json.malformed("a step needs 'rounds'", start);
    steps.push({ rounds, sends });
  });
  return steps;
}

function readSend(json: JsonReader): Send {
  const start = json.offset;
  const numbers: number[] = [];
  json.list('a send [address, source, destination]', () => numbers.push(json.integer('a number', 0)));
  if (numbers.length !== 3) {
    throw json.malformed(`expected [address, source, destination], found ${numbers.length} entries`, start);
  }
  const [address, source, destination] = numbers;
  return { address, source, destination, range: json.range(start) };
}

function readCollective(json: JsonReader, limits: Limits): Pick<ScclAlgorithm, 'ranks' | 'chunks'> {
  const start = json.offset;
  const chunks: Chunk[] = [];
  let ranks: number | undefined;
  json.object('a collective', (key) => {
    if (key === 'nodes') {
      ranks = json.integer('a number of nodes', 1);
      if (ranks > limits.ranks) throw tooMany(json, 'ranks', limits);
    } else if (key !== 'chunks') json.skip();
    else {
      json.list('chunks', () => {
        if (chunks.length >= limits.chunks) throw tooMany(json, 'chunks', limits);
        chunks.push(readChunk(json));
      });
    }
  });
  if (ranks === undefined) throw json.malformed("a collective needs 'nodes'", start);
  return { ranks, chunks };
}

function readChunk(json: JsonReader): Chunk {
  const start = json.offset;
  const found: { before?: readonly number[]; after?: readonly number[]; address?: number } = {};
  json.object('a chunk', (key) => {
    if (key === 'pre') found.before = readRanks(json);
    else if (key === 'post') found.after = readRanks(json);
    else if (key === 'addr') found.address = json.integer('an address', 0);
    else json.skip();
  });
  const { before, after, address } = found;
  if (before === undefined || after === undefined || address === undefined) {
    throw json.malformed("a chunk needs 'pre', 'post' and 'addr'", start);
  }
  return { before, after, address, range: json.range(start) };
}

function readRanks(json: JsonReader): readonly number[] {
  const ranks = new Set<number>();
  json.list('ranks', () => ranks.add(json.integer('a rank', 0)));
  return [...ranks];
}

function tooMany(json: JsonReader, limit: keyof Limits, limits: Limits): CccError {
  const message = `more ${limit} than the limit ${limit} = ${limits[limit]}; --limit ${limit}=… raises it`;
  return new CccError('limit', message, json.range(json.offset));
}
