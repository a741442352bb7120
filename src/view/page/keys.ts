/** Keyboard shortcuts. */
import { step, togglePlay } from './controls.ts';
import type { Scene } from './scene.ts';
import { languages, type State, themes } from './state.ts';
import { panned, zoomed } from './window.ts';

/** Keys that the slider handles itself. */
const sliderKeys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];

/** Whether an element handles keys itself, such as a selection list, so that shortcuts do not apply. */
function isTaken({ target, key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || target instanceof HTMLSelectElement) return true;
  if (!(target instanceof HTMLInputElement)) return false;
  return target.type === 'range' ? sliderKeys.includes(key) : key === ' ';
}

export function listenToKeys(sceneNow: () => Scene): void {
  document.addEventListener('keydown', (event) => {
    const isButton = event.target instanceof HTMLButtonElement && (event.key === ' ' || event.key === 'Enter');
    if (isTaken(event) || isButton) return;
    const act = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act === undefined) return;
    event.preventDefault();
    act(sceneNow());
  });
}

const actions: Readonly<Record<string, (scene: Scene) => void>> = {
  ' ': togglePlay,
  ArrowRight: (scene) => step(scene, 1),
  ArrowLeft: (scene) => step(scene, -1),
  Home: ({ store }) => store.set({ time: 0, playing: false }),
  End: ({ store, model }) => store.set({ time: model.page.duration, playing: false }),
  '+': (scene) => zoom(scene, 0.5),
  '=': (scene) => zoom(scene, 0.5),
  '-': (scene) => zoom(scene, 2),
  '0': (scene) => zoom(scene, Number.POSITIVE_INFINITY),
  a: (scene) => pan(scene, -0.2),
  d: (scene) => pan(scene, 0.2),
  c: ({ store }) => store.set({ showCritical: !store.state.showCritical }),
  u: ({ store }) => store.set({ showUse: !store.state.showUse }),
  l: ({ store }) => store.set({ language: after(languages, store.state.language) }),
  t: ({ store }) => store.set({ theme: after(themes, store.state.theme) }),
  Escape: ({ store }) => store.set({ selection: { kind: 'nothing' }, certificate: -1 }),
};

function zoom({ store, model }: Scene, factor: number): void {
  store.set(zoomed(store.state, model.page.duration, factor));
}

function pan({ store, model }: Scene, part: number): void {
  const { from, to }: State = store.state;
  store.set(panned(store.state, model.page.duration, part * (to - from)));
}

function after<Value>(values: readonly Value[], value: Value): Value {
  return values[(values.indexOf(value) + 1) % values.length];
}
