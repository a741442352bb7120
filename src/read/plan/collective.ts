/** The `collective` block of a plan: what the plan claims to compute. */
import {
  type Collective,
  type CollectiveKind,
  type Contribution,
  type CustomCondition,
  collectiveKinds,
  messageChunks,
  type ReductionOperator,
  reductionOperators,
} from '../../ir/collective.ts';
import { CustomResultsBuilder } from '../../ir/custom-results.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { messageBytes } from '../../ir/shards.ts';
import type { JsonReader } from './json-reader.ts';

/** The fields that have been read so far; they may come in any order. */
interface CollectiveFields {
  kind: CollectiveKind | undefined;
  ranks: number | undefined;
  chunks: number | undefined;
  root: number;
  op: ReductionOperator;
  ordered: boolean;
  inPlace: boolean;
  counts: readonly number[] | undefined;
  custom: CustomCondition | undefined;
}

/** @throws CccError 'malformed' for a field that is missing or wrong, 'limit' for sizes beyond the limits */
export function readCollective(json: JsonReader, limits: Limits): Collective {
  const start = json.offset;
  const fields: CollectiveFields = {
    ...{ kind: undefined, ranks: undefined, chunks: undefined, counts: undefined, custom: undefined },
    ...{ root: 0, op: 'sum', ordered: false, inPlace: false },
  };
  json.object('a collective', (key) => readField(json, key, fields));
  const { kind, ranks, chunks, counts, custom, ...rest } = fields;
  if (kind === undefined) throw json.malformed("the collective needs 'kind'", start);
  if (ranks === undefined) throw json.malformed("the collective needs 'ranks'", start);
  if (chunks === undefined) throw json.malformed("the collective needs 'chunks'", start);
  if ((kind === 'custom') !== (custom !== undefined)) {
    throw json.malformed("a collective has 'custom' exactly when its kind is custom", start);
  }
  const collective: Collective = {
    ...{ kind, ranks, chunks, ...rest },
    ...(counts === undefined ? {} : { counts }),
    ...(custom === undefined ? {} : { custom }),
  };
  const tooLarge = (amount: number, limit: keyof Limits, what: string): CccError => {
    const message = `${amount} ${what} are more than the limit ${limit} = ${limits[limit]}`;
    return new CccError('limit', message, json.range(start));
  };
  if (ranks > limits.ranks) throw tooLarge(ranks, 'ranks', 'ranks');
  if (custom !== undefined && (custom.input.length !== ranks || custom.output.length !== ranks)) {
    throw json.malformed(`a custom collective gives each of the ${ranks} ranks its input and output chunks`, start);
  }
  if (counts !== undefined) checkCounts(json, start, kind, ranks, counts);
  const largest = Math.max(chunks, messageChunks(collective));
  if (largest > limits.chunks) throw tooLarge(largest, 'chunks', 'chunks in one buffer');
  if (rest.root >= ranks) throw json.malformed(`root ${rest.root} is not one of the ranks 0 … ${ranks - 1}`, start);
  return collective;
}

function checkCounts(
  json: JsonReader,
  start: number,
  kind: CollectiveKind,
  ranks: number,
  counts: readonly number[],
): void {
  try {
    messageBytes(kind, ranks, counts);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    throw json.malformed(error.message, start);
  }
}

function readField(json: JsonReader, key: string, fields: CollectiveFields): void {
  switch (key) {
    case 'kind':
      fields.kind = json.word('a collective', collectiveKinds);
      break;
    case 'ranks':
      fields.ranks = json.integer('a number of ranks', 1);
      break;
    case 'chunks':
      fields.chunks = json.integer('a number of chunks per shard', 1);
      break;
    case 'root':
      fields.root = json.integer('a rank', 0);
      break;
    case 'op':
      fields.op = json.word('a reduction operator', reductionOperators);
      break;
    case 'ordered':
      fields.ordered = json.boolean('ordered');
      break;
    case 'inPlace':
      fields.inPlace = json.boolean('inPlace');
      break;
    case 'counts':
      fields.counts = listOf(json, 'counts', () => json.integer('a number of bytes', 0, Number.MAX_SAFE_INTEGER));
      break;
    case 'custom':
      fields.custom = readCustom(json);
      break;
    default:
      json.skip();
  }
}

/** Reads the condition of a custom collective. Only the types are checked here; the verifier checks that sizes and contributions agree. */
function readCustom(json: JsonReader): CustomCondition {
  const start = json.offset;
  const found: { -readonly [Key in keyof CustomCondition]?: CustomCondition[Key] } = {};
  json.object('the condition of a custom collective', (key) => {
    if (key === 'input')
      found.input = listOf(json, 'input chunks of each rank', () => json.integer('a number of chunks', 0));
    else if (key === 'output') {
      found.output = listOf(json, 'output chunks of each rank', () => json.integer('a number of chunks', 0));
    } else if (key === 'inputAt') {
      found.inputAt = listOf(json, 'where the input of each rank lies', () => json.integer('a number of chunks'));
    } else if (key === 'results') {
      const results = new CustomResultsBuilder();
      const slot = () =>
        results.add(json.acceptNull() ? null : listOf(json, 'contributions', () => readContribution(json)));
      json.list('results of each rank', () => {
        results.openRank();
        json.list('results of one rank', slot);
      });
      found.results = results.build();
    } else json.skip();
  });
  const { input, output, inputAt, results } = found;
  if (input === undefined || output === undefined || results === undefined) {
    throw json.malformed("the condition of a custom collective needs 'input', 'output' and 'results'", start);
  }
  if (inputAt === undefined) return { input, output, results };
  if (inputAt.length !== input.length || inputAt.some((at, rank) => at < -input[rank] || at > output[rank])) {
    throw json.malformed("'inputAt' gives each rank an output slot, or minus an input slot", start);
  }
  return { input, output, inputAt, results };
}

function readContribution(json: JsonReader): Contribution {
  const start = json.offset;
  const found: { rank?: number; chunk?: number } = {};
  json.object('a contribution', (key) => {
    if (key === 'rank') found.rank = json.integer('a rank', 0);
    else if (key === 'chunk') found.chunk = json.integer('a chunk', 0);
    else json.skip();
  });
  const { rank, chunk } = found;
  if (rank === undefined || chunk === undefined) {
    throw json.malformed("a contribution needs 'rank' and 'chunk'", start);
  }
  return { rank, chunk };
}

function listOf<Element>(json: JsonReader, what: string, read: () => Element): Element[] {
  const elements: Element[] = [];
  json.list(what, () => elements.push(read()));
  return elements;
}
