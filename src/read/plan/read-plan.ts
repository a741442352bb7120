/** Reads plan JSON (format ccc-plan) into the tables of a plan. */

import type { Collective } from '../../ir/collective.ts';
import { type CompactPlan, compactPlan, maxCompactRanks } from '../../ir/compact.ts';
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import { defaultLimits } from '../../ir/limits.ts';
import { type Plan, PlanBuilder } from '../../ir/plan.ts';
import type { ReadOptions } from '../options.ts';
import { readAddedBlock } from './added-blocks.ts';
import { readCollective } from './collective.ts';
import { JsonReader } from './json-reader.ts';
import { type PlanParts, readProgram } from './program.ts';

/** A plan, and the other blocks of its document. */
export interface PlanDocument {
  readonly plan: Plan;
  /** Blocks that are not part of the plan: `topology`, `cost`, `origin`, and any that other programs add. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A compact plan, and the other blocks of its document. */
export interface CompactDocument {
  readonly compact: CompactPlan;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The longest text, in characters, whose operations keep their places. */
const largestWithOrigins = 8 * 2 ** 20;

/** The `symmetry` block of a compact plan: the extents of the axes, and whether an allreduce's buffers are shifted. */
type Symmetry = Pick<CompactPlan, 'shape' | 'sharded'>;

/** The blocks of a document that have been read so far; they may come in any order. */
interface Blocks {
  format: string | undefined;
  version: number | undefined;
  name: string | undefined;
  collective: Collective | undefined;
  /** The place of the `collective` block. */
  collectiveRange: SourceRange | undefined;
  bulks: number;
  scratchPerBulk: number;
  rounds: readonly number[];
  inTurn: boolean;
  programs: boolean;
  /** Undefined if the plan is not compact. */
  symmetry: Symmetry | undefined;
  readonly extra: Map<string, unknown>;
}

/**
 * Reads a plan. Its tables are consistent; the verifier decides whether the plan is correct.
 * @throws CccError 'syntax' for text that is not JSON, 'schema' for JSON of another kind, 'malformed' for a plan that is not well formed, 'limit'
 */
export function readPlan(source: SourceText, options: ReadOptions = {}): PlanDocument {
  const document = readAnyPlan(source, options);
  if ('plan' in document) return document;
  const message = `${document.compact.name} is a compact plan: ccc convert --expand makes a full plan of it`;
  throw new CccError('unsupported', message);
}

/**
 * Reads a plan or a compact plan, which has `symmetry` and rank 0's program alone. Of the latter up to `mostCompactRanks` ranks are read,
 * whatever the limit on ranks of full plans.
 * @throws CccError as `readPlan`
 */
export function readAnyPlan(source: SourceText, options: ReadOptions = {}): PlanDocument | CompactDocument {
  try {
    return readDocument(source, options);
  } catch (error) {
    // JSON without the format's name is reported as another kind of file, not as a malformed plan.
    const other = error instanceof CccError && error.code === 'malformed' && !source.text.includes('"ccc-plan"');
    if (!other) throw error;
    throw new CccError('schema', `not a plan, which has "format": "ccc-plan": ${error.message}`, error.range);
  }
}

function readDocument(source: SourceText, options: ReadOptions): PlanDocument | CompactDocument {
  const limits = options.limits ?? defaultLimits;
  const json = new JsonReader(source);
  const origins = source.text.length <= largestWithOrigins;
  const parts: PlanParts = { builder: new PlanBuilder(), limits, origins, buffers: new Map() };
  const blocks: Blocks = {
    ...{ format: undefined, version: undefined, name: undefined, collective: undefined, programs: false },
    ...{
      collectiveRange: undefined,
      bulks: 1,
      scratchPerBulk: 1,
      rounds: [],
      inTurn: false,
      symmetry: undefined,
      extra: new Map(),
    },
  };
  const start = json.offset;
  json.object('a plan', (key) => readBlock(json, key, blocks, parts));
  json.end();
  const { name, collective, bulks, scratchPerBulk, rounds, symmetry } = blocks;
  if (blocks.format === undefined) throw json.malformed("a plan needs 'format': 'ccc-plan'", start);
  if (blocks.version === undefined) throw json.malformed("a plan needs 'version': 1", start);
  if (name === undefined) throw json.malformed("a plan needs 'name'", start);
  if (collective === undefined) throw json.malformed("a plan needs 'collective'", start);
  if (!blocks.programs) throw json.malformed("a plan needs 'programs'", start);
  const turns = blocks.inTurn ? { inTurn: true as const } : {};
  const header = { name, collective, bulks, scratchPerBulk, rounds, ...turns };
  const extra = Object.fromEntries(blocks.extra);
  if (symmetry !== undefined) {
    const program = parts.buffers.get(0);
    if (program === undefined || parts.buffers.size > 1) {
      throw json.malformed('a compact plan has the program of rank 0 and no other', start);
    }
    const plan = parts.builder.build({ ...header, buffers: [program] });
    return { compact: compactPlan(plan, symmetry.shape, symmetry.sharded), extra };
  }
  if (collective.ranks > limits.ranks) {
    const message = `${collective.ranks} ranks are more than the limit ranks = ${limits.ranks}`;
    throw new CccError('limit', message, blocks.collectiveRange);
  }
  const buffers = Array.from({ length: collective.ranks }, (_, rank) => {
    const program = parts.buffers.get(rank);
    if (program === undefined) throw json.malformed(`rank ${rank} of ${collective.ranks} has no program`, start);
    return program;
  });
  if (parts.buffers.size > buffers.length) {
    throw json.malformed(`${parts.buffers.size} programs for a collective of ${buffers.length} ranks`, start);
  }
  return { plan: parts.builder.build({ ...header, buffers }), extra };
}

function readBlock(json: JsonReader, key: string, blocks: Blocks, parts: PlanParts): void {
  switch (key) {
    case 'format':
      blocks.format = json.word("a plan's format", ['ccc-plan']);
      break;
    case 'version':
      blocks.version = readVersion(json);
      break;
    case 'name':
      blocks.name = json.string('a name');
      break;
    case 'collective':
      readCollectiveBlock(json, blocks, parts);
      break;
    case 'bulks':
      blocks.bulks = json.integer('a number of bulks', 1);
      break;
    case 'scratchPerBulk':
      blocks.scratchPerBulk = json.integer('a number of copies of scratch', 1);
      break;
    case 'rounds':
      blocks.rounds = readRounds(json);
      break;
    case 'inTurn':
      blocks.inTurn = json.boolean('whether messages take turns');
      break;
    case 'symmetry':
      blocks.symmetry = readSymmetry(json);
      break;
    case 'programs':
      blocks.programs = true;
      json.list('programs', () => readProgram(json, parts));
      break;
    default:
      blocks.extra.set(key, readAddedBlock(json, key));
  }
}

/** Whether the plan is compact, and may have more ranks than the limit, can stand behind the collective: that is checked later. */
function readCollectiveBlock(json: JsonReader, blocks: Blocks, { limits }: PlanParts): void {
  const start = json.offset;
  blocks.collective = readCollective(json, { ...limits, ranks: Math.max(limits.ranks, maxCompactRanks) });
  blocks.collectiveRange = json.range(start);
}

/** Reads a `symmetry` block: `{ "shape": [16, 16], "sharded": true }`; `sharded` may be left out. */
function readSymmetry(json: JsonReader): Symmetry {
  const start = json.offset;
  let shape: number[] | undefined;
  let sharded = false;
  json.object('the symmetry of a compact plan', (key) => {
    if (key === 'sharded') {
      sharded = json.boolean('whether buffers are sharded');
      return;
    }
    if (key !== 'shape') return json.skip();
    const extents: number[] = [];
    json.list('the extents of a shape', () => extents.push(json.integer('an extent', 1)));
    shape = extents;
  });
  if (shape === undefined) throw json.malformed("the symmetry of a compact plan needs 'shape'", start);
  return { shape, sharded };
}

function readVersion(json: JsonReader): number {
  const start = json.offset;
  const version = json.integer('a version', 1);
  if (version !== 1) throw json.malformed(`expected version 1, the only one there is so far; found ${version}`, start);
  return version;
}

function readRounds(json: JsonReader): readonly number[] {
  const rounds: number[] = [];
  json.list('rounds of each step', () => rounds.push(json.integer('a number of rounds', 0)));
  return rounds;
}
