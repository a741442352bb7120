/** The page's entry: reads its data, builds its parts, and updates them when the state changes. */
import type { PageDocument } from '../page-document.ts';
import { chosenPart } from './chosen.ts';
import { controlsPart } from './controls.ts';
import { html, refill } from './dom.ts';
import { headerPart } from './header.ts';
import { listenToKeys } from './keys.ts';
import { machinePart } from './machine.ts';
import { panelsPart } from './panels.ts';
import { PlanModel } from './plan-model.ts';
import { reloadOnChange, remembered, rememberOnReload } from './remember.ts';
import { type PagePart, type Scene, sceneOf } from './scene.ts';
import { type State, Store } from './state.ts';
import { timelinePart } from './timeline.ts';
import { tuningPart } from './tuning.ts';
import { wordsOf } from './words.ts';

function start(): void {
  const data: PageDocument = JSON.parse(document.getElementById('data')?.textContent ?? '');
  const root = html('div', { class: 'page' });
  document.body.append(root);
  if (data.served) reloadOnChange();
  if (data.error !== undefined) {
    refill(root, html('pre', { class: 'error', role: 'alert' }, data.error));
    return;
  }
  if (data.plans.length === 0) {
    showTuning(data, root);
    return;
  }
  const models = new Map<number, PlanModel>();
  const modelOf = (plan: number): PlanModel => {
    const known = models.get(plan) ?? new PlanModel(data.plans[plan]);
    models.set(plan, known);
    return known;
  };
  const store = new Store(firstState(data));
  let scene: Scene = sceneOf(data, modelOf(store.state.plan), store);
  const build = (): void => {
    scene = sceneOf(data, modelOf(store.state.plan), store);
    store.forget();
    const parts = buildPage(scene, root);
    for (const { update } of parts) update(store.state, undefined);
    document.documentElement.lang = store.state.language === 'zh' ? 'zh-CN' : 'en';
    document.documentElement.dataset.theme = store.state.theme;
    store.onChange((state, before) => {
      if (state.plan !== before.plan) {
        store.forget();
        store.set(openingOf(data, state.plan));
        build();
        return;
      }
      if (state.language !== before.language) {
        build();
        return;
      }
      document.documentElement.dataset.theme = state.theme;
      for (const { update } of parts) update(state, before);
    });
  };
  build();
  listenToKeys(() => scene);
  // Colours of the canvas come from the style, which follows the system.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', build);
  if (data.served) rememberOnReload(store);
}

/** Builds the page of a tuning without plans. */
function showTuning(data: PageDocument, root: HTMLElement): void {
  const store = new Store(usualState());
  const part = tuningPart({ document: data, store, words: wordsOf(store.state.language) });
  refill(root, html('h1', {}, data.title), part?.element);
}

/** The initial state for a plan. */
function openingOf({ plans }: PageDocument, plan: number): Partial<State> {
  const { duration, verdict } = plans[plan];
  return {
    ...{ plan, time: 0, playing: false, from: 0, to: duration > 0 ? duration : 1, rows: 'all' },
    ...{ selection: { kind: 'nothing' }, certificate: -1 },
    tab: verdict.verdict === 'correct' ? 'steps' : 'counterexample',
  };
}

function usualState(): State {
  return {
    ...{ plan: 0, time: 0, playing: false, speed: 1, selection: { kind: 'nothing' }, certificate: -1 },
    ...{ from: 0, to: 1, rows: 'all', showUse: false, showCritical: true, stretched: true, tab: 'steps' },
    language: navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en',
    theme: 'auto',
  };
}

function firstState(data: PageDocument): State {
  return { ...usualState(), ...openingOf(data, 0), ...(data.served ? remembered(data) : {}) };
}

function buildPage(scene: Scene, root: HTMLElement): readonly PagePart[] {
  const { words, model } = scene;
  const header = headerPart(scene);
  const tuning = tuningPart(scene);
  const machine = machinePart(scene);
  const controls = controlsPart(scene);
  const chosen = chosenPart(scene);
  const panels = panelsPart(scene);
  const timeline = timelinePart(scene);
  const title = model.page.machine.real ? words.machine : words.machineNone;
  refill(
    root,
    header.element,
    tuning?.element,
    html(
      'main',
      {},
      html('section', { class: 'panel stage' }, html('h2', {}, title), machine.element, controls.element),
      panels.element,
      html('div', { class: 'wide' }, chosen.element, timeline.element),
    ),
    html('footer', {}, html('b', {}, `${words.help}: `), words.helpText),
  );
  return [header, ...(tuning === undefined ? [] : [tuning]), machine, controls, chosen, panels, timeline];
}

start();
