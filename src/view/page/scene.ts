/** The context that all parts of the page share: the plan, the state, texts, and queries that several parts need. */
import type { PageDocument } from '../page-document.ts';
import { clockText } from './axis.ts';
import type { Words } from './english.ts';
import type { PlanModel } from './plan-model.ts';
import type { Selection, State, Store } from './state.ts';
import { wordsOf } from './words.ts';

export interface Scene {
  readonly document: PageDocument;
  readonly model: PlanModel;
  readonly store: Store;
  readonly words: Words;
}

export function sceneOf(document: PageDocument, model: PlanModel, store: Store): Scene {
  return { document, model, store, words: wordsOf(store.state.language) };
}

/** A part of the page: its element, and its update when the state changes. */
export interface PagePart {
  readonly element: HTMLElement;
  readonly update: (state: State, before: State | undefined) => void;
}

/** A duration or instant of the plan's clock, with the word for steps. */
export function planTimeText({ model, words }: Scene, value: number): string {
  const { clock } = model.page;
  const text = clockText(value, clock);
  if (clock === 'seconds') return text;
  return `${text} ${text === '1' ? words.oneStep : words.steps}`;
}

/** A link as text: `chip 0 → chip 1`. */
export function linkText({ model }: Scene, link: number): string {
  const { links, nodes } = model.page.machine;
  return `${nodes[links[link].from].name} → ${nodes[links[link].to].name}`;
}

/** An operation as text: `send output[2…3] to rank 1, channel 0`. */
export function operationText({ model, words }: Scene, operation: number): string {
  const { kind, peer, channel } = model.operations;
  const name = words[operationWords[kind[operation]]];
  const [source, target] = [model.sliceText(operation, 'src'), model.sliceText(operation, 'dst')];
  const ends = peer[operation] < 0 ? '' : ` ${words.rank} ${peer[operation]}`;
  const on = channel[operation] > 0 ? `, ${words.channel} ${channel[operation]}` : '';
  if (model.isSend(operation)) return `${name} ${source ?? ''} ${words.to}${ends}${on}`;
  if (model.isReceive(operation)) return `${name} ${target ?? ''} ${words.from}${ends}${on}`;
  return `${name} ${source ?? ''} ${words.into} ${target ?? ''}`;
}

/** By code of the kind. */
const operationWords = ['op.copy', 'op.reduce', 'op.send', 'op.recv', 'op.recvReduce', 'op.compute'] as const;

/** Letters that stand for kinds beside their colours, by code. */
export const kindLetters = ['C', '+', 'S', 'R', 'R+', 'X'] as const;

/** The file and line of an operation: `ring.yaml:12`; undefined if unknown. */
export function lineText({ model }: Scene, operation: number): string | undefined {
  const { source, line } = model.operations;
  const from = model.page.sources[source[operation]];
  return from === undefined ? undefined : `${from.name.split(/[/\\]/).pop()}:${line[operation]}`;
}

/** Whether an instance belongs to the selection. */
export function isChosen(model: PlanModel, selection: Selection, instance: number): boolean {
  const operation = instance % model.count;
  const { operations } = model;
  switch (selection.kind) {
    case 'nothing':
      return false;
    case 'operation': {
      if (Math.floor(instance / model.count) !== selection.bulk) return false;
      return operation === selection.operation || operations.partner[selection.operation] === operation;
    }
    case 'link':
      return model.linksOf(instance).includes(selection.link);
    case 'node':
      return model.page.machine.nodes[selection.node].rank === model.rankOf(operation);
    case 'step':
      return operations.step[operation] === selection.step;
    case 'line':
      return operations.source[operation] === selection.source && operations.line[operation] === selection.line;
  }
}

/** The links that belong to the selection. */
export function chosenLinks({ model }: Scene, selection: Selection): ReadonlySet<number> {
  switch (selection.kind) {
    case 'link':
      return new Set([selection.link]);
    case 'operation': {
      const partner = model.operations.partner[selection.operation];
      const send = model.isSend(selection.operation) ? selection.operation : partner;
      return new Set(send < 0 ? [] : model.linksOf(selection.bulk * model.count + send));
    }
    case 'step':
    case 'line': {
      const links = new Set<number>();
      for (let instance = 0; instance < model.start.length; instance++) {
        if (!isChosen(model, selection, instance)) continue;
        for (const link of model.linksOf(instance)) links.add(link);
      }
      return links;
    }
    default:
      return new Set();
  }
}

/** The nodes that belong to the selection. */
export function chosenNodes({ model }: Scene, selection: Selection): ReadonlySet<number> {
  if (selection.kind === 'node') return new Set([selection.node]);
  if (selection.kind === 'link') {
    const { from, to } = model.page.machine.links[selection.link];
    return new Set([from, to]);
  }
  if (selection.kind !== 'operation') return new Set();
  const partner = model.operations.partner[selection.operation];
  return new Set([selection.operation, ...(partner < 0 ? [] : [partner])].map((o) => model.nodeOf(model.rankOf(o))));
}
