/** The part of an emitted file that runs the lanes of a rank: the types of the tables, and the loop over them. */
import type { OperationKind } from '../../ir/plan.ts';
import type { Features } from './features.ts';
import { bracketed } from './layout.ts';

const operationTypes: Readonly<Record<OperationKind, string>> = {
  copy: '{ readonly copy: Slice; readonly into: Slice }',
  reduce: '{ readonly reduce: Slice; readonly into: Slice; readonly incomingFirst?: true }',
  send: '{ readonly send: Slice; readonly to: number; readonly channel: number }',
  recv: '{ readonly receive: Slice; readonly from: number; readonly channel: number }',
  recvReduce:
    '{ readonly receiveReduce: Slice; readonly from: number; readonly channel: number; readonly incomingFirst?: true }',
};

/** The types of operations, lanes and slices. */
export function typesText({ operations, usesScratch, waitsAcrossBulks }: Features): string {
  const kinds = (['copy', 'reduce', 'send', 'recv', 'recvReduce'] as const).filter((kind) => operations.has(kind));
  const buffers = ['input', 'output', ...(usesScratch ? ['scratch'] : [])];
  const wait = waitsAcrossBulks
    ? `/** The operation in this place of the lane in this place, both from 0: of the same bulk, or of one so many bulks earlier. */
interface Done {
  readonly lane: number;
  readonly index: number;
  readonly bulks: number;
}`
    : `/** The operation in this place of the lane in this place, both from 0. */
interface Done {
  readonly lane: number;
  readonly index: number;
}`;
  return `/** \`count\` chunks of a buffer from \`offset\` on. */
interface Slice {
  readonly buffer: ${buffers.map((buffer) => `'${buffer}'`).join(' | ')};
  readonly offset: number;
  readonly count: number;
}

${wait}

/** Operations of a lane run one after the other, each when those of \`after\` are done; lanes run side by side. */
type Operation = { readonly step: number; readonly after?: readonly Done[] } & (
${kinds.map((kind) => `  | ${operationTypes[kind]}`).join('\n')}
);
type Lane = readonly Operation[];`;
}

/** How far a lane has come, and who waits for it. */
const progressText = `/** How many operations of a lane are done, over all bulks, and who waits for more. */
class Progress {
  private done = 0;
  private waiting: { readonly count: number; readonly resume: () => void }[] = [];

  advance(): void {
    this.done++;
    const ready = this.waiting.filter(({ count }) => count <= this.done);
    if (ready.length === 0) return;
    this.waiting = this.waiting.filter(({ count }) => count > this.done);
    for (const { resume } of ready) resume();
  }

  reach(count: number): Promise<void> | undefined {
    if (count <= this.done) return undefined;
    return new Promise((resume) => this.waiting.push({ count, resume }));
  }
}`;

/** The loop over lanes, bulks and operations. */
export function executeText(features: Features): string {
  const { reduces, waitsAcrossBulks } = features;
  const combine = reduces ? ', combine: Combine' : '';
  const wait = waitsAcrossBulks ? '{ lane: other, index, bulks: earlier }' : '{ lane: other, index }';
  const bulk = waitsAcrossBulks ? '(bulk - earlier)' : 'bulk';
  return `${progressText}

type View = (slice: Slice, bulk: number) => Elements;

/** Runs the lanes of one rank side by side, each over all bulks. */
async function execute(transport: Transport, lanes: readonly Lane[], view: View${combine}): Promise<void> {
  const progress = lanes.map(() => new Progress());
  const runLane = async (lane: Lane, own: Progress): Promise<void> => {
    for (let bulk = 0; bulk < bulks; bulk++) {
      for (const operation of lane) {
        for (const ${wait} of operation.after ?? []) {
          await progress[other].reach(${bulk} * lanes[other].length + index + 1);
        }
        await perform(transport, operation, (slice) => view(slice, bulk)${reduces ? ', combine' : ''});
        own.advance();
      }
    }
  };
  await Promise.all(lanes.map((lane, index) => runLane(lane, progress[index])));
}

${performText(features)}`;
}

function performText({ operations, reduces }: Features): string {
  const cases: Readonly<Record<OperationKind, string>> = {
    copy: `  if ('copy' in operation) {
    view(operation.into).set(view(operation.copy));
  }`,
    reduce: `  if ('reduce' in operation) {
    const held = view(operation.into);
    const incoming = view(operation.reduce);
    if (operation.incomingFirst) combine(held, incoming, held);
    else combine(held, held, incoming);
  }`,
    send: `  if ('send' in operation) {
    await transport.send(operation.to, operation.channel, view(operation.send));
  }`,
    recv: `  if ('receive' in operation) {
    await transport.receive(operation.from, operation.channel, view(operation.receive));
  }`,
    recvReduce: `  if ('receiveReduce' in operation) {
    const held = view(operation.receiveReduce);
    const incoming = new Elements(held.length);
    await transport.receive(operation.from, operation.channel, incoming);
    if (operation.incomingFirst) combine(held, incoming, held);
    else combine(held, held, incoming);
  }`,
  };
  const kinds = (['send', 'recv', 'recvReduce', 'copy', 'reduce'] as const).filter((kind) => operations.has(kind));
  const body = kinds
    .map((kind) => cases[kind])
    .join(' else ')
    .replaceAll('else   if', 'else if');
  const parameters = ['transport: Transport', 'operation: Operation', 'view: (slice: Slice) => Elements'];
  const head = bracketed(
    'async function perform(',
    reduces ? [...parameters, 'combine: Combine'] : parameters,
    '): Promise<void> {',
  );
  return `${head}
${body}
}`;
}

/** Abbreviations with which the tables write slices and dependencies; only those that they use. */
export function notationText(tables: string, { waitsAcrossBulks }: Features): string {
  const buffers = ['input', 'output', 'scratch'].filter((buffer) => tables.includes(`${buffer}(`));
  const lines = buffers.map(
    (buffer) => `const ${buffer} = (offset: number, count: number): Slice => ({ buffer: '${buffer}', offset, count });`,
  );
  if (tables.includes('done(')) {
    lines.push(
      waitsAcrossBulks
        ? 'const done = (lane: number, index: number, bulks = 0): Done => ({ lane, index, bulks });'
        : 'const done = (lane: number, index: number): Done => ({ lane, index });',
    );
  }
  return lines.join('\n');
}
