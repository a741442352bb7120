/** How much a plan uses the machine: by step, by link, and by link within each step. */
import { OperationCode, type Plan } from '../ir/plan.ts';
import type { LinkUse, Timeline } from '../ir/report.ts';
import { floatColumn, intColumn } from './columns.ts';
import type { PageLinkUse, PageStep } from './page-document.ts';

interface Step {
  operations: number;
  messages: number;
  amount: number;
  start: number;
  end: number;
  readonly links: Map<number, number>;
}

/** The steps that have operations, in order. @param sent by operation: bytes or chunks that it sends in one bulk, 0 for operations that send nothing */
export function stepsOf(plan: Plan, sent: Float64Array, timeline: Timeline | undefined): readonly PageStep[] {
  const { kind, step } = plan.ops;
  const steps = new Map<number, Step>();
  for (let operation = 0; operation < kind.length; operation++) {
    const known = steps.get(step[operation]) ?? emptyStep();
    steps.set(step[operation], known);
    known.operations += plan.bulks;
    if (kind[operation] === OperationCode.send) known.messages += plan.bulks;
    known.amount += plan.bulks * sent[operation];
    if (timeline === undefined) continue;
    for (let instance = operation; instance < timeline.start.length; instance += kind.length) {
      known.start = Math.min(known.start, timeline.start[instance]);
      known.end = Math.max(known.end, timeline.end[instance]);
    }
  }
  if (timeline !== undefined) addLinks(steps, plan, timeline);
  return [...steps]
    .sort(([a], [b]) => a - b)
    .map(([number, { links, start, ...known }]) => {
      const shown = [...links].sort(([a], [b]) => a - b);
      return {
        step: number,
        ...known,
        start: Number.isFinite(start) ? start : 0,
        links: intColumn(shown.map(([link]) => link)),
        busy: floatColumn(shown.map(([, busy]) => busy)),
      };
    });
}

function emptyStep(): Step {
  return { operations: 0, messages: 0, amount: 0, start: Number.POSITIVE_INFINITY, end: 0, links: new Map() };
}

function addLinks(steps: ReadonlyMap<number, Step>, plan: Plan, { operations, links }: Timeline): void {
  links.link.forEach((link, row) => {
    const own = steps.get(plan.ops.step[links.instance[row] % operations])?.links;
    own?.set(link, (own.get(link) ?? 0) + links.end[row] - links.start[row]);
  });
}

/** The links that carry messages, in order, with their use in bytes and seconds, or in chunks and steps if there is no simulation. */
export function linkUseOf(
  simulated: readonly LinkUse[] | undefined,
  sent: Float64Array,
  timeline: Timeline | undefined,
): readonly PageLinkUse[] {
  if (simulated !== undefined) {
    const used = simulated.filter(({ messages }) => messages > 0);
    return used.map(({ link, messages, bytes, busy }) => ({ link, messages, amount: bytes, busy }));
  }
  if (timeline === undefined) return [];
  const { operations, links } = timeline;
  const uses = new Map<number, { messages: number; amount: number; busy: number }>();
  links.link.forEach((link, row) => {
    const use = uses.get(link) ?? { messages: 0, amount: 0, busy: 0 };
    uses.set(link, use);
    use.messages++;
    use.amount += sent[links.instance[row] % operations];
    use.busy += links.end[row] - links.start[row];
  });
  return [...uses].sort(([a], [b]) => a - b).map(([link, use]) => ({ link, ...use }));
}
