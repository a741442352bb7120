/** The files for other libraries, read by parsers written from the formats' documentation. */
import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { ncclTable } from '../../src/tune/nccl.ts';
import { openMpiRules } from '../../src/tune/open-mpi.ts';
import { type TuneRequest, type TuneResult, tuneSizes } from '../../src/tune/tune.ts';
import { requestFor } from './request.ts';

interface SizeRule {
  readonly from: number;
  readonly algorithm: number;
  readonly fanOut: number;
  readonly segment: number;
}

/**
 * Open MPI's classic rules: numbers in a row, `#` to the end of a line is left out. Number of collectives; of each its number and how
 * many numbers of ranks; of each the ranks and how many rules; of each rule its least size, algorithm, fan-out and segment size.
 * Ranks and sizes ascend, and the first rule is for 0 bytes.
 */
function readOpenMpi(text: string): ReadonlyMap<number, ReadonlyMap<number, readonly SizeRule[]>> {
  const words = text.replaceAll(/#.*/g, '').trim().split(/\s+/);
  let at = 0;
  const next = (): number => {
    expect(words[at]).toMatch(/^\d+$/);
    return Number(words[at++]);
  };
  const times = <T>(read: () => T): readonly T[] => Array.from({ length: next() }, read);
  const rule = (): SizeRule => ({ from: next(), algorithm: next(), fanOut: next(), segment: next() });
  const byRanks = (): readonly [number, readonly SizeRule[]] => [next(), times(rule)];
  const collectives = times(() => [next(), times(byRanks)] as const);
  expect(at).toBe(words.length);
  for (const [, ranks] of collectives) {
    expect(ranks.map(([number]) => number)).toEqual(ranks.map(([number]) => number).sort((a, b) => a - b));
    for (const [, rules] of ranks) {
      expect(rules[0].from).toBe(0);
      expect(rules.map(({ from }) => from)).toEqual(rules.map(({ from }) => from).sort((a, b) => a - b));
    }
  }
  return new Map(collectives.map(([id, ranks]) => [id, new Map(ranks)]));
}

/** The last rule that begins at or below the size. */
function chosen(rules: readonly SizeRule[], size: number): SizeRule | undefined {
  return rules.findLast(({ from }) => from <= size);
}

interface Row {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  readonly algorithm: string;
  readonly ranks: number;
}

/** NCCL's example tuner plugin: comments, then rows of ten fields, lines below 256 characters. */
function readNccl(text: string): readonly Row[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    expect(line.length).toBeLessThan(255);
    const fields = line.split(',');
    expect(fields).toHaveLength(10);
    const [kind, from, to, algorithm, protocol, ...matched] = fields;
    expect(['broadcast', 'reduce', 'allgather', 'reducescatter', 'allreduce']).toContain(kind);
    expect(['tree', 'ring', 'collnet_direct', 'collnet_chain', 'nvls', 'nvls_tree', 'pat']).toContain(algorithm);
    expect(['ll', 'll128', 'simple']).toContain(protocol);
    const [channels, nodes, ranks, pipeOperations, registered] = matched.map(Number);
    expect([channels, nodes, pipeOperations, registered]).toEqual([-1, -1, -1, -1]);
    return { kind, from: Number(from), to: Number(to), algorithm, ranks };
  });
}

function tuned(kind: CollectiveKind, ranks: readonly number[], changes: Partial<TuneRequest> = {}): TuneResult[] {
  return ranks.map((number) =>
    tuneSizes(requestFor(kind, `switch:${number}`, 6, { engine: 'library', tolerance: 0, ...changes })),
  );
}

/** Times of plans by their schedules' names. */
function secondsOf(result: TuneResult, names: readonly string[], size: number): number {
  const plans = result.pool.filter(({ algorithm }) => names.includes(algorithm));
  return Math.min(...plans.map((plan) => plan.secondsAt(size)));
}

describe('rules for Open MPI', () => {
  it('choose at every size what is fastest of the algorithms that it has', () => {
    const results = tuned('allreduce', [4, 8], { bulks: 1 });
    const rules = readOpenMpi(openMpiRules('allreduce', results, 0) ?? '').get(2);
    // Numbers of `coll_tuned_allreduce_algorithm`.
    const names = new Map([
      [1, 'single-node-allreduce'],
      [2, 'reduce-broadcast-allreduce'],
      [3, 'recursive-doubling-allreduce'],
      [4, 'ring-allreduce'],
      [5, 'segmented-ring-allreduce'],
      [6, 'rabenseifner-allreduce'],
    ]);
    for (const result of results) {
      const ofRanks = rules?.get(result.routes.topology.chips.length) ?? [];
      for (const { size } of result.sizes) {
        const name = names.get(chosen(ofRanks, size)?.algorithm ?? 0) ?? '';
        const best = secondsOf(result, [...names.values()], size);
        expect(secondsOf(result, [name], size)).toBeLessThanOrEqual(best * (1 + 1e-9));
      }
    }
  });

  it('give pipelines their segments', () => {
    const [result] = tuned('broadcast', [6], { sizes: [2 ** 26, 2 ** 28] });
    const ofSix = readOpenMpi(openMpiRules('broadcast', [result], 0) ?? '')
      .get(7)
      ?.get(6);
    // One port and blocking links: a pipeline's k* = √((N − 2)M/(βα)) blocks, which are far below 64 MiB and above 1 KiB.
    const rule = chosen(ofSix ?? [], 2 ** 28);
    expect(rule?.segment).toBeGreaterThan(2 ** 10);
    expect(rule?.segment).toBeLessThan(2 ** 24);
  });

  it.each([
    ['scan', 14],
    ['exscan', 8],
  ] as const)('have one for a %s, whose size Open MPI does not look at', (kind, id) => {
    const rules = readOpenMpi(openMpiRules(kind, tuned(kind, [4]), 0) ?? '').get(id);
    expect(rules?.get(4)).toHaveLength(1);
  });
});

const corpus = new URL('../../../shared/corpus/open-mpi-rules/', import.meta.url);
const hasCorpus = existsSync(corpus);
if (!hasCorpus) console.info('skipped: the files of ../shared/corpus/open-mpi-rules are not here');

/** The schema of the third version, with what its text means: a list of choices where it names one, and the segments that the reader takes. */
function schemaOfRules(): object {
  const text = readFileSync(new URL('tuned_dynamic_file_schema.json', corpus), 'utf8');
  const schema = JSON.parse(
    text.replaceAll('{ "$ref" : "#/$defs/int_or_inf" }', '[{ "type": "integer" }, { "enum": ["inf"] }]'),
  );
  delete schema.$defs.int_or_inf;
  delete schema.$schema;
  schema.$defs.msg_size_rule.properties.seg_size = { type: 'integer' };
  return schema;
}

interface JsonRule {
  readonly msg_size_min: number;
  readonly msg_size_max: number | 'inf';
  readonly alg: number;
  readonly faninout?: number;
  readonly seg_size?: number;
}

describe('the other versions of these rules', () => {
  const results = tuned('broadcast', [4, 6], { sizes: [2 ** 10, 2 ** 20, 2 ** 28] });
  const first = openMpiRules('broadcast', results, 0) ?? '';
  const third = JSON.parse(openMpiRules('broadcast', results, 0, 3) ?? '');

  it('are the same with another first line in the second', () => {
    expect(openMpiRules('broadcast', results, 0, 2)).toBe(`rule-file-version-2\n${first}`);
  });

  it('say the same in the third, each size in one rule', () => {
    expect(third).toMatchObject({ rule_file_version: 3, module: 'tuned' });
    const ofAll = readOpenMpi(first).get(7);
    expect(third.collectives.bcast.map((each: { comm_size_min: number }) => each.comm_size_min)).toEqual([4, 6]);
    for (const { comm_size_min, comm_size_max, rules } of third.collectives.bcast) {
      expect(comm_size_max).toBe(comm_size_min);
      const same = (rules as readonly JsonRule[]).map(({ msg_size_min, alg, faninout = 0, seg_size = 0 }) => ({
        from: msg_size_min,
        algorithm: alg,
        fanOut: faninout,
        segment: seg_size,
      }));
      expect(same).toEqual(ofAll?.get(comm_size_min));
      const ends = (rules as readonly JsonRule[]).map(({ msg_size_max }) => msg_size_max);
      expect(ends).toEqual([...same.slice(1).map(({ from }) => from - 1), 'inf']);
    }
  });

  it.skipIf(!hasCorpus)('are valid by the schema of Open MPI', () => {
    const validate = new Ajv({ allowUnionTypes: true }).compile(schemaOfRules());
    expect(validate(third), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...third, rules: [] })).toBe(false);
  });
});

describe('the table for NCCL', () => {
  it('covers all sizes once', () => {
    const rows = readNccl(ncclTable('allreduce', tuned('allreduce', [4, 8]), 0) ?? '');
    for (const ranks of [4, 8]) {
      const ofRanks = rows.filter((row) => row.ranks === ranks);
      expect(ofRanks[0].from).toBe(0);
      expect(ofRanks[ofRanks.length - 1].to).toBe(4_294_967_295);
      ofRanks.slice(1).forEach(({ from }, index) => {
        expect(from).toBe(ofRanks[index].to + 1);
      });
    }
  });

  it('goes on beyond 4 GiB where that was tuned', () => {
    const rows = readNccl(ncclTable('allreduce', tuned('allreduce', [4], { sizes: [2 ** 33, 2 ** 34] }), 0) ?? '');
    expect(rows[rows.length - 1].to).toBe(2 ** 34);
  });

  it('does not exist where NCCL has no such collective', () => {
    expect(ncclTable('alltoall', tuned('alltoall', [4]), 0)).toBeUndefined();
  });
});
