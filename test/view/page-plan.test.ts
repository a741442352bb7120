/** What a page shows of a plan, against the textbooks and against counting by hand. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { Routes } from '../../src/ir/routes.ts';
import { timeline } from '../../src/model/index.ts';
import { readPlan, resolveTopology } from '../../src/read/index.ts';
import { judgePlan } from '../../src/verify/index.ts';
import { columnOf } from '../../src/view/page/columns.ts';
import { PlanModel } from '../../src/view/page/plan-model.ts';
import { busyShare, countWithin, timelineSpansOf as tableOf } from '../../src/view/page/spans.ts';
import type { PageColumn, PagePlan } from '../../src/view/page-document.ts';
import { shippedPlan, shown } from './plans.ts';

const numbers = (column: PageColumn): readonly number[] => [...columnOf(column)];

const plan4 = shippedPlan('ring-allgather', 4);

/** The times of all spans of the rows of a kind. */
function spansOf({ timeline }: PagePlan, kind: 'lane' | 'link'): readonly (readonly [number, number])[] {
  const { start, end } = tableOf(timeline);
  return timeline.rows
    .filter((row) => row.kind === kind)
    .flatMap(({ first }) =>
      Array.from(
        { length: first[first.length - 1] - first[0] },
        (_, at) => [start[first[0] + at], end[first[0] + at]] as const,
      ),
    );
}

describe('a ring allgather on a ring of four', () => {
  const size = 2 ** 20;
  const plan = shippedPlan('ring-allgather', 4);
  const page = shown(plan, 'ring:4');
  // α = 1 µs, β = 10 GB/s: three steps of α + M/4β each.
  const step = 1e-6 + size / 4 / 10e9;

  it('takes 3 (α + M/4β), in three steps of four messages over four links', () => {
    expect(page.clock).toBe('seconds');
    expect(page.duration).toBeCloseTo(3 * step, 12);
    const sending = page.steps.filter(({ messages }) => messages > 0);
    expect(sending.map(({ messages, amount }) => [messages, amount])).toEqual([
      [4, size],
      [4, size],
      [4, size],
    ]);
    sending.forEach(({ start, end, links, busy }, index) => {
      expect(start).toBeCloseTo(index * step, 12);
      expect(end).toBeCloseTo((index + 1) * step, 12);
      expect(numbers(links)).toHaveLength(4);
      for (const seconds of numbers(busy)) expect(seconds).toBeCloseTo(step, 12);
    });
  });

  it('keeps each link of the way round busy throughout, with three messages of a shard each', () => {
    expect(page.links.map(({ messages, amount }) => [messages, amount])).toEqual(Array(4).fill([3, (3 * size) / 4]));
    for (const { busy } of page.links) expect(busy).toBeCloseTo(page.duration, 12);
  });

  it('has a span for each message on its link, and one for each operation in its lane', () => {
    expect(spansOf(page, 'link')).toHaveLength(12);
    expect(spansOf(page, 'lane')).toHaveLength(plan.ops.kind.length);
  });

  it('has a critical path that begins at 0 and ends with the plan, each operation where the one before ends', () => {
    const model = new PlanModel(page);
    const path = numbers(page.critical);
    expect(Math.min(...path.map((at) => model.start[at]))).toBe(0);
    expect(Math.max(...path.map((at) => model.end[at]))).toBeCloseTo(page.duration, 12);
    expect(model.criticalLinks.size).toBeGreaterThanOrEqual(3);
  });

  it('knows the line that each message comes from', () => {
    const [source] = page.sources;
    const lines = (source.text ?? '').split('\n');
    const { kind, line, source: index } = page.operations;
    numbers(kind).forEach((code, operation) => {
      if (code !== 2) return;
      expect(numbers(index)[operation]).toBe(0);
      expect(lines[numbers(line)[operation] - 1]).toContain('copy: r -> (r + 1) % N');
    });
  });

  it('shows who is under way, and how much has come, at any time', () => {
    const model = new PlanModel(page);
    expect(model.underWay(0.5 * step)).toHaveLength(4);
    expect(model.underWay(page.duration)).toHaveLength(0);
    expect(model.received(0, 0)).toBe(0);
    expect(model.received(0, 1.5 * step)).toBeCloseTo(1 / 3, 9);
    expect(model.received(0, page.duration)).toBe(1);
    for (const message of model.underWay(1.5 * step)) {
      const [link] = model.routeOf(message);
      const { from, to } = page.machine.links[link];
      expect((from + 1) % 4).toBe(to);
      expect(page.machine.nodes[from].rank).toBe(model.rankOf(message % model.count));
    }
  });
});

describe('messages over several links', () => {
  it('have routes in travelling order, from the sender to the receiver', () => {
    const page = shown(shippedPlan('full-mesh-allgather', 5), 'line:5');
    const model = new PlanModel(page);
    let longest = 0;
    for (let operation = 0; operation < model.count; operation++) {
      if (!model.isSend(operation)) continue;
      const route = model.routeOf(operation);
      const [from, to] = [model.rankOf(operation), model.operations.peer[operation]];
      expect(route).toHaveLength(Math.abs(from - to));
      let at = model.nodeOf(from);
      for (const link of route) {
        expect(page.machine.links[link].from).toBe(at);
        at = page.machine.links[link].to;
      }
      expect(at).toBe(model.nodeOf(to));
      longest = Math.max(longest, route.length);
    }
    expect(longest).toBe(4);
  });
});

describe('a plan without a machine', () => {
  const page = shown(shippedPlan('ring-allgather', 5), undefined);

  it('is drawn by steps, on ranks and the pairs that talk', () => {
    expect([page.clock, page.clockReason]).toEqual(['steps', 'no machine']);
    expect(page.machine.real).toBe(false);
    expect(page.machine.nodes.map(({ rank }) => rank)).toEqual([0, 1, 2, 3, 4]);
    expect(page.machine.links.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 0],
    ]);
    for (const [start, end] of spansOf(page, 'link')) expect(end - start).toBe(1);
  });

  it('shows both ends of a message at once', () => {
    const model = new PlanModel(page);
    for (let operation = 0; operation < model.count; operation++) {
      const partner = model.operations.partner[operation];
      if (partner < 0) continue;
      expect(model.start[operation]).toBe(model.start[partner]);
    }
  });
});

describe('a wrong plan', () => {
  it('has its counterexample, with the operations that it names', () => {
    const plan = shippedPlan('ring-allgather', 4);
    // One shard is sent twice, another never.
    const srcOffset = plan.ops.srcOffset.slice();
    const last = plan.ops.step.reduce((most, step) => Math.max(most, step), 0);
    const wrong = plan.ops.kind.findIndex((kind, operation) => kind === 2 && plan.ops.step[operation] === last);
    srcOffset[wrong] = (srcOffset[wrong] + 1) % 4;
    const page = shown({ ...plan, ops: { ...plan.ops, srcOffset } }, 'ring:4');
    expect(page.verdict.verdict).not.toBe('correct');
    const [finding] = page.verdict.findings;
    expect(finding.story.length).toBeGreaterThan(0);
    const model = new PlanModel(page);
    for (const { text, operation } of finding.story) {
      const [, rank] = /^rank (\d+) lane \d+ op \d+/.exec(text) ?? [];
      expect(model.rankOf(operation)).toBe(Number(rank));
    }
    expect(page.bound).toBeUndefined();
  });

  it('that waits for itself for ever is drawn by steps', () => {
    const receiveFirst = (rank: number) => ({
      rank,
      buffers: { input: 1, output: 2, scratch: 0 },
      lanes: [
        {
          id: 0,
          ops: [
            { op: 'copy', src: ['input', 0, 1], dst: ['output', rank, 1], step: 0 },
            { op: 'recv', peer: 1 - rank, channel: 0, dst: ['output', 1 - rank, 1], step: 1 },
            { op: 'send', peer: 1 - rank, channel: 0, src: ['input', 0, 1], step: 1 },
          ],
        },
      ],
    });
    const document = {
      ...{ format: 'ccc-plan', version: 1, name: 'both-wait', bulks: 1 },
      collective: { kind: 'allgather', ranks: 2, chunks: 1, root: 0, op: 'sum', inPlace: false },
      programs: [receiveFirst(0), receiveFirst(1)],
    };
    const { plan } = readPlan({ name: 'both-wait.json', text: JSON.stringify(document) });
    const page = shown(plan, 'ring:2');
    expect(page.verdict.verdict).toBe('deadlock');
    expect([page.clock, page.clockReason]).toEqual(['steps', 'cannot run']);
    expect(page.machine.real).toBe(true);
    expect(spansOf(page, 'link')).toHaveLength(2);
  });
});

describe('bounds', () => {
  it('name what they speak of: the links out of a cut, and no others', () => {
    const topology = resolveTopology('a100:2');
    const plan = shippedPlan('ring-allgather', 16);
    const bound = { ...lowerBound(plan.collective, topology, 2 ** 30), stated: [] };
    const page = shown(plan, 'a100:2', { bound, size: 2 ** 30, verification: judgePlan(plan, { topology }) });
    expect(page.bound?.seconds).toBe(bound.seconds);
    const cut = page.bound?.certificates.find(({ kind }) => kind === 'cut');
    expect(cut?.inside.length).toBeGreaterThan(0);
    const inside = new Set(cut?.inside);
    const crossing = topology.links.flatMap(({ from, to }, link) =>
      inside.has(from) && !inside.has(to) ? [link] : [],
    );
    expect(cut?.links).toEqual(crossing);
  });
});

describe('a plan in a thousand million bulks', () => {
  it('is not drawn over time, and counted all the same', () => {
    const { clockReason, steps, messages, timeline: drawn } = shown({ ...plan4, bulks: 1e9 }, 'ring:4');
    expect([clockReason, drawn.rows.length, messages]).toEqual(['too long', 0, 12e9]);
    expect(steps.map((each) => each.messages)).toEqual([0, 4e9, 4e9, 4e9]);
  });
});

describe('more spans than pixels', () => {
  const bulks = 1200;
  const plan = { ...shippedPlan('ring-allgather', 8), bulks };
  const page = shown(plan, 'ring:8', { size: 2 ** 26 });
  const model = new PlanModel(page);
  const { spans } = model;
  const links = model.rows.filter(({ kind }) => kind === 'link');

  it('are all there, each with its times', () => {
    expect(model.start).toHaveLength(plan.ops.kind.length * bulks);
    const simulated = timeline(plan, Routes.of(resolveTopology('ring:8')), 2 ** 26);
    const apart = (found: Float64Array, wanted: Float64Array) =>
      found.reduce((most, time, at) => Math.max(most, Math.abs(time - wanted[at])), 0);
    expect(apart(model.start, simulated.start)).toBeLessThan(1e-11 * page.duration);
    expect(apart(model.end, simulated.end)).toBeLessThan(1e-11 * page.duration);
    // Regular times take next to no room: three numbers for each span.
    const { timeline: kept } = page;
    const bytes = kept.start.base64.length + kept.length.base64.length + kept.instance.base64.length;
    expect(bytes).toBeLessThan(spans.start.length);
  });

  it('make bars as tall as the row is busy', () => {
    for (const { index, first } of links) {
      const use = page.links.find(({ link }) => link === index);
      const whole = busyShare(spans, first[0], first[1], 0, page.duration);
      expect(whole * page.duration).toBeCloseTo(use?.busy ?? 0, 12);
    }
    const [{ first }] = links;
    for (const [from, to] of [
      [0.1, 0.2],
      [0.3337, 0.3339],
      [0.5, 0.500001],
    ].map((window) => window.map((part) => part * page.duration))) {
      let [busy, count] = [0, 0];
      for (let at = first[0]; at < first[1]; at++) {
        const within = Math.min(spans.end[at], to) - Math.max(spans.start[at], from);
        busy += Math.max(0, within);
        if (within > 0) count++;
      }
      expect(busyShare(spans, first[0], first[1], from, to)).toBeCloseTo(busy / (to - from), 9);
      expect(Math.abs(countWithin(spans, first[0], first[1], from, to) - count)).toBeLessThanOrEqual(1);
    }
  });

  it('keep their marks on the critical path', () => {
    const marked = links.flatMap((row) => model.criticalOf(row));
    expect(marked.length).toBeGreaterThan(bulks);
    for (const instance of marked) expect(model.critical.has(instance)).toBe(true);
  });
});
