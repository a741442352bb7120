/** What `ccc compile` says about bulks, in words and with --json. */
import { describe, expect, it } from 'vitest';
import { ccc } from '../run.ts';

const MiB = 2 ** 20;

function pipelineOf(...args: string[]) {
  const { status, stdout } = ccc(['compile', ...args, '--json']);
  expect(status).toBe(0);
  return JSON.parse(stdout).pipeline;
}

describe('a pipelined chain', () => {
  const args = ['broadcast', '--topo', 'line:6', '--link', '1us,10GB/s,blocking', '--size', '1MiB'];
  // k* = √((N − 2)M/(αβ)) = √(4 · 104.8576 µs / 1 µs) = 20.5.
  const stage = (bulks: number) => 1e-6 + MiB / (bulks * 10e9);

  it('is a document: interval, least interval, what binds, fill and gain', () => {
    const pipeline = pipelineOf(...args, '--algorithm', 'chain-broadcast');
    const { bulks } = pipeline;
    expect([20, 21]).toContain(bulks);
    expect(pipeline.interval).toBeCloseTo(stage(bulks), 12);
    expect(pipeline.leastInterval).toBeCloseTo(stage(bulks), 12);
    expect(pipeline.binding).toMatchObject({ kind: 'link', name: 'link chip 0 → chip 1' });
    expect(pipeline.fill).toBeCloseTo(5 * stage(bulks), 12);
    expect(pipeline.gain).toBeCloseTo((5 * stage(1)) / ((bulks + 4) * stage(bulks)), 9);
    expect(pipeline.inflight).toBe('unbounded');
  });

  it('is told in words', () => {
    const { stderr } = ccc(['compile', ...args, '--algorithm', 'chain-broadcast', '-o', 'plan.json']);
    const words = stderr.replaceAll(/\s+/g, ' ');
    expect(words).toMatch(
      /pipeline \d+ bulks, a new one every [\d.]+ µs \(II, its least\); link chip 0 → chip 1 binds/,
    );
    expect(words).toMatch(/any number in flight per connection; one bulk would take 529\.3 µs: gain 3\.5/);
  });
});

describe('one bulk', () => {
  it('is explained: no link is idle, and each bulk more adds 2α', () => {
    const args = ['allgather', '--topo', 'sg2260x4', '--size', '64MiB'];
    const words = ccc(['compile', ...args, '-o', 'plan.json']).stderr.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      'pipeline one bulk, since more gain nothing: two would take 395.4 µs; link chip 0 → chip 1 is never idle and each more adds 1.1 µs of latencies there',
    );
    expect(pipelineOf(...args)).toMatchObject({ bulks: 1, inflight: 2 });
  });

  it('is not explained where the user asked for it', () => {
    const { stderr } = ccc(['compile', 'allgather', '--topo', 'ring:4', '--bulks', '1', '-o', 'plan.json']);
    expect(stderr).not.toContain('pipeline');
  });
});

describe('reductions', () => {
  const reductionsOf = (overlap: 'on' | 'off') => {
    const args = ['reduce', '--topo', 'line:4', '--algorithm', 'chain-reduce', '--size', '1MiB', '--gamma', '100GB/s'];
    return {
      words: ccc(['compile', ...args, '--overlap', overlap, '-o', 'plan.json']).stderr.replaceAll(/\s+/g, ' '),
      args,
    };
  };

  it('are hidden behind messages with overlap, and keep the ports without', () => {
    expect(reductionsOf('on').words).toMatch(
      /chip \d reduces for 10\.49 µs, [\d.]+ % of it hidden behind messages of its own/,
    );
    expect(reductionsOf('off').words).toMatch(
      /chip \d reduces for 10\.49 µs, in which its ports stand still: [\d.]+ % of the time/,
    );
    const { reductions } = pipelineOf(...reductionsOf('off').args, '--overlap', 'off');
    expect(reductions.reducing).toBeCloseTo(MiB / 100e9, 12);
    expect(reductions.hidden).toBeCloseTo(0, 12);
  });
});

describe('the same chips with buffers that have to be staged', () => {
  const stagedOf = (...args: string[]) => {
    const { status, stdout } = ccc(['compile', ...args, '--json']);
    expect(status).toBe(0);
    return JSON.parse(stdout).staged;
  };

  it('are named with the time there and the gain of bulks', () => {
    const staged = stagedOf('allgather', '--topo', 'sg2260x4');
    expect(staged.topology).toBe('sg2260x4-ddr');
    // All of M is copied to DDR at 128 GB/s; in one bulk a shard is copied in before, and half of one out after, the links have moved all.
    expect(staged.seconds).toBeCloseTo((64 * MiB) / 128e9, 7);
    expect(staged.oneBulkSeconds).toBeCloseTo((16 * MiB) / 128e9 + (3 * 64 * MiB) / (8 * 64e9) + (32 * MiB) / 128e9, 5);
    expect(staged.gain).toBeCloseTo(staged.oneBulkSeconds / staged.seconds, 9);
    expect(staged.bulks).toBeGreaterThan(1);
  });

  it('are not named where the machine is another, or names none', () => {
    expect(stagedOf('allgather', '--topo', 'sg2260x4', '--link', '1us,10GB/s')).toBeUndefined();
    expect(stagedOf('allgather', '--topo', 'ring:4')).toBeUndefined();
  });
});
