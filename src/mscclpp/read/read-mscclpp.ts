/** Reads MSCCL++ execution plans from JSON. */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { defaultLimits } from '../../ir/limits.ts';
import type { ReadOptions } from '../../read/options.ts';
import { JsonReader } from '../../read/plan/json-reader.ts';
import { type ExecutionPlan, executionCollectives } from '../execution-plan.ts';
import { readGpu } from './gpu.ts';
import type { OperationBudget } from './operation.ts';
import { withRequired } from './required.ts';

/** Whether a text is an MSCCL++ execution plan: it lists gpus, and is not a plan in the format of ccc. */
export function isMscclppText({ text }: SourceText): boolean {
  return /^[\s\ufeff]*\{/.test(text) && /"gpus"\s*:/.test(text) && !/"format"\s*:\s*"ccc-/.test(text);
}

type Fields = { -readonly [Key in keyof ExecutionPlan]?: ExecutionPlan[Key] | undefined };

/** The maximum size in the format, which stands for no limit. */
const unlimited = 2 ** 64;

/**
 * Reads an execution plan. Whether the runtime accepts it, and whether it is correct, is decided by the checker. Keys that the runtime does not read
 * are ignored.
 * @throws CccError 'syntax' for text that is not JSON, 'malformed' for missing fields and fields of the wrong type, 'limit'
 */
export function readMscclpp(source: SourceText, { limits = defaultLimits }: ReadOptions = {}): ExecutionPlan {
  const json = new JsonReader(source);
  let operations = 0;
  const budget: OperationBudget = {
    spend: () => {
      if (++operations <= limits.operations) return;
      const start = json.offset;
      throw new CccError(
        'limit',
        `more operations than the limit operations = ${limits.operations}`,
        json.range(start),
      );
    },
  };
  const start = json.offset;
  const fields: Fields = {};
  const messages = { least: 0, most: unlimited };
  json.object('an execution plan', (key) => {
    if (key === 'name') fields.name = json.string('a name');
    else if (key === 'collective') fields.collective = json.word('a collective', executionCollectives);
    else if (key === 'protocol') fields.protocol = json.word('a protocol', ['Simple', 'LL'] as const);
    else if (key === 'inplace') fields.inPlace = json.boolean('inplace');
    else if (key === 'reuse_resources') fields.reuseResources = json.boolean('reuse_resources');
    else if (key === 'use_double_scratch_buffer') fields.doubleScratch = json.boolean('use_double_scratch_buffer');
    else if (key === 'num_threads_per_block') fields.threadsPerBlock = json.integer('a number of threads', 1);
    else if (key === 'buffer_alignment') fields.alignment = json.integer('a number of bytes', 1);
    else if (key === 'min_message_size') messages.least = json.integer('a number of bytes', 0, unlimited);
    else if (key === 'max_message_size') messages.most = json.integer('a number of bytes', 0, unlimited);
    else if (key === 'gpus') fields.gpus = readGpus(json, budget, limits.ranks);
    else json.skip();
  });
  json.end();
  const spelling = { inPlace: 'inplace' };
  const keys = ['name', 'collective', 'protocol', 'inPlace', 'gpus'] as const;
  const required = withRequired(json, 'an execution plan', fields, keys, start, spelling);
  return {
    name: required.name,
    collective: required.collective,
    protocol: required.protocol,
    inPlace: required.inPlace,
    reuseResources: fields.reuseResources ?? false,
    doubleScratch: fields.doubleScratch ?? false,
    threadsPerBlock: fields.threadsPerBlock ?? 1024,
    alignment: fields.alignment ?? 16,
    messages,
    gpus: required.gpus,
    range: json.range(start),
  };
}

function readGpus(json: JsonReader, budget: OperationBudget, most: number): ExecutionPlan['gpus'] {
  const start = json.offset;
  const gpus: ExecutionPlan['gpus'][number][] = [];
  json.list('a list of gpus', (index) => {
    if (index >= most) throw new CccError('limit', `more gpus than the limit ranks = ${most}`, json.range(start));
    gpus.push(readGpu(json, budget));
  });
  return gpus;
}
