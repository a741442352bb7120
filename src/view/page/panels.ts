/** The panels below the machine, one at a time. */

import { html, refill } from './dom.ts';
import { boundPanel } from './panels/bound.ts';
import { counterexamplePanel } from './panels/counterexample.ts';
import { linksPanel } from './panels/links.ts';
import { programsPanel } from './panels/programs.ts';
import { proofPanel } from './panels/proof.ts';
import { sourcePanel } from './panels/source.ts';
import { stepsPanel } from './panels/steps.ts';
import type { PagePart, Scene } from './scene.ts';
import type { State } from './state.ts';

/** The names of the panels, as in the keys of their titles (`tab.…`). */
const panels = {
  counterexample: counterexamplePanel,
  steps: stepsPanel,
  links: linksPanel,
  programs: programsPanel,
  source: sourcePanel,
  bound: boundPanel,
  proof: proofPanel,
} as const;
type Name = keyof typeof panels;

function isName(text: string): text is Name {
  return text in panels;
}

export function panelsPart(scene: Scene): PagePart {
  const { model, store, words } = scene;
  const isRight = model.page.verdict.verdict === 'correct';
  const isRemarked = model.page.verdict.findings.length > 0;
  const names = Object.keys(panels)
    .filter(isName)
    .filter((name) => name !== 'counterexample' || isRemarked);
  const made = new Map<Name, PagePart>();
  const tabs = names.map((name, index) =>
    html(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${name}`,
        'aria-controls': 'panel',
        'data-tab': name,
        onclick: () => store.set({ tab: name }),
        onkeydown: (event: KeyboardEvent) => {
          const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          const next = (index + by + names.length) % names.length;
          store.set({ tab: names[next] });
          tabs[next].focus();
        },
      },
      name === 'counterexample' && isRight ? words.warnings : words[`tab.${name}`],
    ),
  );
  const body = html('div', { class: 'panel-body', role: 'tabpanel', id: 'panel' });
  const update = (state: State, before: State | undefined): void => {
    const shown = isName(state.tab) && names.includes(state.tab) ? state.tab : names[0];
    tabs.forEach((tab, index) => {
      tab.setAttribute('aria-selected', String(names[index] === shown));
      tab.setAttribute('tabindex', names[index] === shown ? '0' : '-1');
    });
    const known = made.get(shown);
    const part = known ?? panels[shown](scene);
    made.set(shown, part);
    if (body.firstChild !== part.element) {
      body.setAttribute('aria-labelledby', `tab-${shown}`);
      refill(body, part.element);
      // The panel also catches up on changes that happened while another one was shown.
      part.update(state, undefined);
    } else part.update(state, before);
  };
  return {
    element: html(
      'section',
      { class: 'panel details' },
      html('div', { class: 'tabs', role: 'tablist' }, ...tabs),
      body,
    ),
    update,
  };
}
