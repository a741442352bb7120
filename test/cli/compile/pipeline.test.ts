/** What `ccc compile` says about bulks, in words and with --json. */
import { describe, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';

const MiB = 2 ** 20;

async function pipelineOf(...args: string[]) {
  const { status, stdout } = await inProcess(['compile', ...args, '--json']);
  expect(status).toBe(0);
  return JSON.parse(stdout).pipeline;
}

describe('a pipelined chain', () => {
  const args = ['broadcast', '--topo', 'line:6', '--link', '1us,10GB/s,blocking', '--size', '1MiB'];
  // k* = √((N − 2)M/(αβ)) = √(4 · 104.8576 µs / 1 µs) = 20.5.
  const stage = (bulks: number) => 1e-6 + MiB / (bulks * 10e9);

  it('is a document: interval, least interval, what binds, fill and gain', async () => {
    const pipeline = await pipelineOf(...args, '--algorithm', 'chain-broadcast');
    const { bulks } = pipeline;
    expect([20, 21]).toContain(bulks);
    expect(pipeline.interval).toBeCloseTo(stage(bulks), 12);
    expect(pipeline.leastInterval).toBeCloseTo(stage(bulks), 12);
    expect(pipeline.binding).toMatchObject({ kind: 'link', name: 'link chip 0 → chip 1' });
    expect(pipeline.fill).toBeCloseTo(5 * stage(bulks), 12);
    expect(pipeline.gain).toBeCloseTo((5 * stage(1)) / ((bulks + 4) * stage(bulks)), 9);
    expect(pipeline.inflight).toBe('unbounded');
  });

  it('is told in words', async () => {
    const { stderr } = await inProcess(['compile', ...args, '--algorithm', 'chain-broadcast', '-o', 'plan.json']);
    const words = stderr.replaceAll(/\s+/g, ' ');
    expect(words).toMatch(
      /pipeline \d+ bulks, a new one every [\d.]+ µs \(II, the minimum\); link chip 0 → chip 1 is the bottleneck/,
    );
    expect(words).toMatch(
      /any number of messages in flight per connection\. With 1 bulk it would take 529\.3 µs: speedup 3\.5/,
    );
  });
});

describe('one bulk', () => {
  it('is explained: no link is idle, and each bulk more adds 2α', async () => {
    const args = ['allgather', '--topo', 'sg2260x4', '--size', '64MiB'];
    const words = (await inProcess(['compile', ...args, '-o', 'plan.json'])).stderr.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'pipeline 1 bulk. With 2 it would take 395.4 µs: link chip 0 → chip 1 is already busy all the time, and every extra bulk adds 1.1 µs of latency on it',
    );
    expect(await pipelineOf(...args)).toMatchObject({ bulks: 1, inflight: 2 });
  });

  it('is not explained where the user asked for it', async () => {
    const { stderr } = await inProcess(['compile', 'allgather', '--topo', 'ring:4', '--bulks', '1', '-o', 'plan.json']);
    expect(stderr).not.toContain('pipeline');
  });
});

describe('reductions', () => {
  const reductionsOf = async (overlap: 'on' | 'off') => {
    const args = ['reduce', '--topo', 'line:4', '--algorithm', 'chain-reduce', '--size', '1MiB', '--gamma', '100GB/s'];
    return {
      words: (await inProcess(['compile', ...args, '--overlap', overlap, '-o', 'plan.json'])).stderr.replaceAll(
        /\s+/g,
        ' ',
      ),
      args,
    };
  };

  it('are hidden behind messages with overlap, and keep the ports without', async () => {
    expect((await reductionsOf('on')).words).toMatch(
      /chip \d reduces for 10\.49 µs, [\d.]+ % of which overlaps with its own messages/,
    );
    expect((await reductionsOf('off')).words).toMatch(
      /chip \d reduces for 10\.49 µs, during which its ports are idle: [\d.]+ % of the time/,
    );
    const { reductions } = await pipelineOf(...(await reductionsOf('off')).args, '--overlap', 'off');
    expect(reductions.reducing).toBeCloseTo(MiB / 100e9, 12);
    expect(reductions.hidden).toBeCloseTo(0, 12);
  });
});

describe('the same chips with buffers that have to be staged', () => {
  const stagedOf = async (...args: string[]) => {
    const { status, stdout } = await inProcess(['compile', ...args, '--json']);
    expect(status).toBe(0);
    return JSON.parse(stdout).staged;
  };

  it('are named with the time there and the gain of bulks', async () => {
    const staged = await stagedOf('allgather', '--topo', 'sg2260x4');
    expect(staged.topology).toBe('sg2260x4-ddr');
    // All of M is copied to DDR at 128 GB/s; in one bulk a shard is copied in before, and half of one out after, the links have moved all.
    expect(staged.seconds).toBeCloseTo((64 * MiB) / 128e9, 7);
    expect(staged.oneBulkSeconds).toBeCloseTo((16 * MiB) / 128e9 + (3 * 64 * MiB) / (8 * 64e9) + (32 * MiB) / 128e9, 5);
    expect(staged.gain).toBeCloseTo(staged.oneBulkSeconds / staged.seconds, 9);
    expect(staged.bulks).toBeGreaterThan(1);
  });

  it('are not named where the machine is another, or names none', async () => {
    expect(await stagedOf('allgather', '--topo', 'sg2260x4', '--link', '1us,10GB/s')).toBeUndefined();
    expect(await stagedOf('allgather', '--topo', 'ring:4')).toBeUndefined();
  });
});
