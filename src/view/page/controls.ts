/** The controls: play, pause, step, slider, speed, and the choice of what else is drawn. */

import { firstAbove } from './columns.ts';
import { html, refill } from './dom.ts';
import { type IconName, icon } from './icons.ts';
import { type PagePart, planTimeText, type Scene } from './scene.ts';
import { pageSizes } from './shown.ts';
import type { State } from './state.ts';

const speeds = [0.25, 0.5, 1, 2, 4] as const;

export function controlsPart(scene: Scene): PagePart {
  const { store, model, words } = scene;
  const { duration } = model.page;
  const button = (name: IconName, hint: string, act: () => void): HTMLButtonElement =>
    html('button', { type: 'button', class: name, title: hint, 'aria-label': hint, onclick: act }, icon(name));
  const play = button('play', `${words.play} (Space)`, () => togglePlay(scene));
  const slider = html('input', {
    type: 'range',
    class: 'slider',
    min: 0,
    max: pageSizes.positions,
    step: 1,
    'aria-label': words.slider,
    oninput: () => store.set({ time: (Number(slider.value) / pageSizes.positions) * duration, playing: false }),
  });
  const now = html('output', { class: 'now' });
  const speed = html(
    'select',
    { class: 'speed', 'aria-label': words.speed, onchange: () => store.set({ speed: Number(speed.value) }) },
    ...speeds.map((factor) => html('option', { value: factor, selected: factor === store.state.speed }, `${factor}×`)),
  );
  const use = html(
    'button',
    {
      type: 'button',
      class: 'use',
      title: `${words.use} (U)`,
      onclick: () => store.set({ showUse: !store.state.showUse }),
    },
    words.use,
  );
  const critical = html(
    'button',
    {
      type: 'button',
      class: 'critical',
      title: `${words.critical} (C)`,
      onclick: () => store.set({ showCritical: !store.state.showCritical }),
    },
    words.critical,
  );
  const stretched =
    model.measured !== undefined &&
    html(
      'label',
      { class: 'stretched' },
      html('input', {
        type: 'checkbox',
        checked: store.state.stretched,
        onchange: () => store.set({ stretched: !store.state.stretched }),
      }),
      words.stretched,
    );
  const element = html(
    'div',
    { class: 'controls', role: 'group', 'aria-label': words.slider },
    html(
      'div',
      { class: 'transport' },
      button('to-start', `${words.toStart} (Home)`, () => store.set({ time: 0, playing: false })),
      button('back', `${words.back} (←)`, () => step(scene, -1)),
      play,
      button('forward', `${words.forward} (→)`, () => step(scene, 1)),
      button('to-end', `${words.toEnd} (End)`, () => store.set({ time: duration, playing: false })),
      speed,
      now,
    ),
    slider,
    html('div', { class: 'switches' }, critical, use, stretched),
  );
  let frame = 0;
  let last = 0;
  const tick = (instant: number): void => {
    if (!element.isConnected || !store.state.playing) return;
    const passed = Math.min(100, instant - last) / 1000;
    last = instant;
    const time = Math.min(
      duration,
      store.state.time + (passed * store.state.speed * duration) / pageSizes.secondsOfPlay,
    );
    frame = requestAnimationFrame(tick);
    store.set({ time, playing: time < duration });
  };
  return {
    element,
    update: (state: State, before: State | undefined) => {
      slider.value = String(duration > 0 ? Math.round((state.time / duration) * pageSizes.positions) : 0);
      slider.setAttribute('aria-valuetext', planTimeText(scene, state.time));
      refill(now, `${planTimeText(scene, state.time)} / ${planTimeText(scene, duration)}`);
      use.setAttribute('aria-pressed', String(state.showUse));
      critical.setAttribute('aria-pressed', String(state.showCritical));
      if (state.playing !== (before?.playing ?? false)) {
        refill(play, icon(state.playing ? 'pause' : 'play'));
        const hint = `${state.playing ? words.pause : words.play} (Space)`;
        play.setAttribute('aria-label', hint);
        play.setAttribute('title', hint);
        cancelAnimationFrame(frame);
        if (state.playing) {
          last = performance.now();
          frame = requestAnimationFrame(tick);
        }
      }
    },
  };
}

/** At the end it begins anew. */
export function togglePlay({ store, model }: Scene): void {
  const { playing, time } = store.state;
  const { duration } = model.page;
  store.set({ playing: !playing && duration > 0, ...(!playing && time >= duration ? { time: 0 } : {}) });
}

/** Moves the time to the next or the previous instant at which an operation starts. */
export function step({ store, model }: Scene, by: 1 | -1): void {
  const { moments } = model;
  const { time } = store.state;
  const slack = model.page.duration * 1e-9;
  const next = by === 1 ? firstAbove(moments, time + slack) : firstAbove(moments, time - slack) - 1;
  const target = next < 0 ? 0 : (moments[next] ?? model.page.duration);
  store.set({ time: target, playing: false });
}
