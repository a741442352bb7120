/** Measured times as tools write them, read; and what is wrong with files that are not quite that. */
import { describe, expect, it } from 'vitest';
import { CccError } from '../../../src/ir/diagnostic.ts';
import { readMeasurements } from '../../../src/read/measurements/index.ts';
import * as samples from './samples.ts';

function read(text: string) {
  return readMeasurements({ name: 'data', text });
}

/** Size, time in µs, use, how sizes are counted. */
function rows(text: string): readonly unknown[][] {
  return read(text).measurements.map(({ size, seconds, inPlace, counted }) => {
    return [size, Number((seconds * 1e6).toPrecision(6)), inPlace, counted];
  });
}

function refusal(text: string): { readonly code: string; readonly message: string; readonly at: string } {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    const { code, message, range } = error;
    return { code, message, at: range === undefined ? '' : text.slice(range.start, range.end) };
  }
  throw new Error('it was read');
}

describe('formats', () => {
  it('reads nccl-tests, both columns', () => {
    expect(rows(samples.ncclLog)).toEqual([
      [1048576, 41.37, false, 'message'],
      [1048576, 40.52, true, 'message'],
      [2097152, 52.41, false, 'message'],
      [2097152, 51.9, true, 'message'],
    ]);
  });

  it('reads old logs, whose rows leave values out', () => {
    expect(rows(samples.rcclLog)).toEqual([
      [4096, 18.1, false, 'message'],
      [4096, 17.9, true, 'message'],
    ]);
  });

  it('reads OSU: blocks of an allgather, and the slowest rank where it is there', () => {
    expect(rows(samples.osuTable)).toEqual([
      [1, 3.1, undefined, 'block'],
      [1024, 5.25, undefined, 'block'],
    ]);
    expect(read(samples.osuTable).collective).toBe('allgather');
    expect(rows(samples.osuFullTable)).toEqual([[4, 1.81, undefined, 'message']]);
  });

  it.each([
    ['OSU MPI All-to-All Personalized Exchange', 'alltoall'],
    ['OSU MPI-CUDA All-to-Allv Personalized Exchange', 'alltoall'],
    ['OSU MPI Allgatherv', 'allgather'],
    ['OSU MPI Persistent Allgather', 'allgather'],
    ['OSU MPI Non-blocking All-to-All', 'alltoall'],
    ['OSU MPI Nonblocking Reduce_scatter', 'reducescatter'],
    ['OSU MPI Broadcast', 'broadcast'],
    ['OSU MPI-ROCM Scatterv', 'scatter'],
  ])('reads the table that OSU calls %s', (title, kind) => {
    const text = `# ${title} Latency Test v7.4\n# Size       Avg Latency(us)\n8   2.50\n`;
    expect(read(text).collective).toBe(kind);
    expect(rows(text).map(([, time]) => time)).toEqual([2.5]);
  });

  it.each([
    ['Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)', '216.50 100.95 135.61 44.29'],
    [
      'Overall(us)  Compute(us)  Coll. Init(us)  MPI_Test(us)  MPI_Wait(us)  Pure Comm.(us)  Overlap(%)',
      '216.50 100.95 1 2 3 135.61 44.29',
    ],
  ])('takes the time of communication alone from a non-blocking table with the columns %s', (columns, values) => {
    const text = `# OSU MPI Non-blocking Allgather Latency Test v7.4\n# Size ${columns}\n1024 ${values}\n`;
    expect(rows(text)).toEqual([[1024, 135.61, undefined, 'block']]);
  });

  it.each([
    ['Alltoallv', '#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]', '8 1000 1.5 2.5 2.0', 'alltoall', 2.5],
    [
      'Reduce_scatter_block',
      '#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]',
      '8 1000 1.5 2.5 2.0',
      'reducescatter',
      2.5,
    ],
    [
      'Iallreduce',
      '#bytes #repetitions t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]',
      '8 1000 9.5 3.5 5.0 12',
      'allreduce',
      3.5,
    ],
  ])('reads the table that IMB calls %s', (name, columns, values, kind, time) => {
    const table = read(`# Benchmarking ${name}\n# #processes = 4\n${columns}\n${values}\n`);
    expect(table.collective).toBe(kind);
    expect(table.measurements.map(({ seconds }) => Math.round(seconds * 1e8) / 100)).toEqual([time]);
  });

  it.each([
    ['mpirun --tag-output', '[1,0]<stdout>:'],
    ['mpirun --tag-output of Open MPI 5', '[prterun-host-4711@1,0]<stdout>: '],
    ['mpirun --timestamp-output', 'Fri Nov 27 12:00:00 2026[1,0]<stdout>:'],
    ['a date behind the tag', '[1,0]<stdout>:2026-11-27 12:00:00.123 '],
    ['srun -l', ' 0: '],
    ['a collector of containers', '2026-11-27T12:00:00.123456789Z '],
  ])('reads a log of nccl-tests and a table of OSU behind the prefixes of %s', (_, prefix) => {
    const behind = (text: string): string =>
      text
        .trim()
        .split('\n')
        .map((line) => prefix + line)
        .join('\n');
    expect(rows(behind(samples.ncclLog))).toEqual(rows(samples.ncclLog));
    expect(rows(behind(samples.osuTable))).toEqual(rows(samples.osuTable));
  });

  it('reads the JSON of nccl-tests', () => {
    const text = samples.ncclTestsDocument;
    expect(rows(text)).toEqual([
      [1024, 41.5, false, 'message'],
      [1024, 40.25, true, 'message'],
      [2048, 50, true, 'message'],
    ]);
    expect([read(text).collective, read(text).date]).toEqual(['allreduce', '2026-11-27']);
  });

  it('reads the CSV and the JSON of rccl-tests', () => {
    for (const text of [samples.rcclTestsCsv, samples.rcclTestsLines, samples.rcclTestsList]) {
      expect(rows(text)).toEqual([
        [4096, 20.5, false, 'message'],
        [4096, 19.5, true, 'message'],
      ]);
      expect(read(text).collective).toBe('allgather');
    }
  });

  it('reads IMB: the table of the most processes, without 0 bytes', () => {
    expect(rows(samples.imbTable)).toEqual([
      [4, 1.3, undefined, 'message'],
      [4096, 4.3, undefined, 'message'],
    ]);
    expect(read(samples.imbTable).notes).toEqual(['1 row of fewer processes than 4']);
  });

  it('reads CSV with quotes, units of sizes and empty cells', () => {
    const { measurements, date } = read(samples.csv);
    expect(measurements.map(({ plan, protocol }) => [plan, protocol])).toEqual([
      ['ring, wide.xml', 'LL'],
      ['tree.xml', undefined],
      ['tree.xml', 'Simple'],
    ]);
    expect(rows(samples.csv)).toEqual([
      [1048576, 32, true, 'message'],
      [4096, 10, false, 'message'],
      [4096, 12.5, undefined, 'message'],
    ]);
    expect(date).toBe('2024-04-03');
  });

  it('reads every repetition of ccc run', () => {
    expect(rows(samples.runDocument).map(([, time]) => time)).toEqual([20, 10, 40]);
    expect(read(samples.runDocument).collective).toBe('allreduce');
    expect(rows(samples.runSizesDocument).map(([size, time]) => [size, time])).toEqual([
      [1024, 10],
      [1024, 30],
      [2048, 20],
    ]);
  });
});

describe('what is wrong', () => {
  const head = 'plan,protocol,size,seconds\n';

  it.each([
    ['a missing column', 'plan,protocol,size\nx.xml,LL,4\n', 'schema', /no column seconds/],
    ['times in another unit', 'plan,protocol,size,time_us\nx.xml,LL,4,3\n', 'schema', /in seconds, not 'time_us'/],
    ['a negative time', `${head}x.xml,LL,4,-1e-6\n`, 'range', /must be more than 0, not -1e-6/],
    ['no time at all', `${head}x.xml,LL,4,0\n`, 'range', /must be more than 0/],
    ['a time with a unit', `${head}x.xml,LL,4,12us\n`, 'unit', /without a unit, not '12us'/],
    ['a time that is none', `${head}x.xml,LL,4,fast\n`, 'schema', /as a number, found 'fast'/],
    ['a size in no unit', `${head}x.xml,LL,4 miles,1\n`, 'unit', /size: expected/],
    ['half a byte', `${head}x.xml,LL,0.5,1\n`, 'range', /whole number of bytes/],
    ['a short row', `${head}x.xml,LL,4\n`, 'schema', /3 cells, and the head 4/],
    ['a use that is none', 'plan,protocol,size,seconds,in_place\nx,LL,4,1,maybe\n', 'schema', /0 or 1, not 'maybe'/],
    ['quotes that do not end', `${head}"x.xml,LL,4,1\n`, 'syntax', /quotes do not end/],
    ['a day that is none', 'plan,protocol,size,seconds,date\nx,LL,4,1,yesterday\n', 'schema', /a date such as/],
    ['no rows', head, 'schema', /no time is in it/],
    ['another text', 'once upon a time', 'schema', /no measurements; expected/],
    ['wrong results', samples.runDocument.replace('true', 'false'), 'schema', /results were wrong/],
    ['another benchmark', '# OSU MPI Put Latency Test v7\n# Size Latency (us)\n1 2\n', 'unsupported', /'Put' is none/],
    ['OSU in ms', samples.osuTable.replace('(us)', '(ms)'), 'unit', /in ms, not in us/],
    ['a log cut off', samples.ncclLog.replace(/0\s+40\.52.*/, ''), 'schema', /values; its head names 13/],
    ['a log with a time of 0', samples.ncclLog.replace('41.37', ' 0.00'), 'range', /must be more than 0/],
  ])('is refused with its reason: %s', (_, text, code, message) => {
    const found = refusal(text);
    expect(found.code).toBe(code);
    expect(found.message).toMatch(message);
  });

  it('points at the cell', () => {
    expect(refusal(`${head}x.xml,LL,4,-1e-6\n`).at).toBe('-1e-6');
    expect(refusal(samples.ncclLog.replace('41.37', '-1.37')).at).toBe('-1.37');
  });
});

describe('damaged files', () => {
  it('are read or refused, whatever is cut out or changed', () => {
    const texts = [
      samples.ncclLog,
      samples.rcclLog,
      samples.osuFullTable,
      samples.imbTable,
      samples.csv,
      samples.runSizesDocument,
    ];
    let state = 1;
    const below = (most: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return Math.floor((state / 2 ** 32) * most);
    };
    let refused = 0;
    for (let round = 0; round < 3000; round++) {
      const text = texts[below(texts.length)];
      const at = below(text.length);
      const piece = ['', '-', '\n', ',', '"', '#', 'x', '0', ' 1e999 ', '\u0000'][below(10)];
      const damaged = text.slice(0, at) + piece + text.slice(at + below(12));
      try {
        for (const { seconds, size } of read(damaged).measurements) {
          expect(seconds).toBeGreaterThan(0);
          expect(size).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(seconds)).toBe(true);
        }
      } catch (error) {
        if (!(error instanceof CccError)) throw error;
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });
});
