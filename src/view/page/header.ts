/** The header: the plan's name, time and bound, and the choices of language and theme. */
import { formatBytes } from '../../ir/units.ts';
import { html, refill } from './dom.ts';
import { type PagePart, planTimeText, type Scene } from './scene.ts';
import { languages, type State, themes } from './state.ts';

export function headerPart(scene: Scene): PagePart {
  const { document, model, store, words } = scene;
  const { page } = model;
  const nextLanguage = (): void => {
    const { language } = store.state;
    store.set({ language: languages[(languages.indexOf(language) + 1) % languages.length] });
  };
  const theme = html('button', {
    type: 'button',
    class: 'theme',
    title: `${words.theme} (T)`,
    onclick: () => store.set({ theme: themes[(themes.indexOf(store.state.theme) + 1) % themes.length] }),
  });
  const plans =
    document.plans.length > 1 &&
    html(
      'select',
      {
        class: 'plans',
        'aria-label': words.plan,
        onchange: (event: Event) => {
          if (event.target instanceof HTMLSelectElement) store.set({ plan: Number(event.target.value) });
        },
      },
      ...document.plans.map((plan, index) =>
        html('option', { value: index, selected: index === store.state.plan }, planText(plan.name, plan.size)),
      ),
    );
  const element = html(
    'header',
    { class: 'top' },
    html(
      'div',
      { class: 'title' },
      html('h1', { dir: 'ltr' }, page.name),
      html('p', { class: 'about' }, aboutText(scene)),
      plans,
    ),
    html('dl', { class: 'facts' }, ...factsOf(scene)),
    html(
      'div',
      { class: 'settings' },
      document.served && html('span', { class: 'served' }, words.served),
      html(
        'button',
        { type: 'button', class: 'language', title: words.languageHint, onclick: nextLanguage },
        words.language,
      ),
      theme,
    ),
  );
  return {
    element,
    update: (state: State) => refill(theme, words[`theme.${state.theme}`]),
  };
}

function planText(name: string, size: number | undefined): string {
  return size === undefined ? name : `${name} · ${formatBytes(size)}`;
}

function aboutText({ model, words }: Scene): string {
  const { collective, bulks, machine, size } = model.page;
  const { kind, ranks, chunks, root, op, inPlace } = collective;
  return [
    kind,
    ...(machine.real ? [machine.name] : []),
    ...(size === undefined ? [] : [formatBytes(size)]),
    `${ranks} ${words.ranks}`,
    `${chunks} ${chunks === 1 ? words.oneChunk : words.chunks}`,
    ...(bulks > 1 ? [`${bulks} ${words.bulks}`] : []),
    ...(root === undefined ? [] : [`${words.root} ${root}`]),
    ...(op === undefined ? [] : [`${words.operator} ${op}`]),
    ...(inPlace ? [words.inPlace] : []),
  ].join(' · ');
}

/** The verdict as a word and a sign, since not everybody can distinguish colours. */
function factsOf(scene: Scene): readonly HTMLElement[] {
  const { model, words } = scene;
  const { verdict, duration, clock, bound, messages, measured } = model.page;
  const isRight = verdict.verdict === 'correct';
  const fact = (name: string, value: string, style = ''): HTMLElement =>
    html('div', { class: `fact ${style}` }, html('dt', {}, name), html('dd', {}, value));
  const sign = isRight ? `✓ ${words.proved}` : `✗ ${words[`verdict.${verdict.verdict}`]}`;
  const facts = [fact(words.verdict, sign, isRight ? 'right' : 'wrong')];
  if (duration > 0)
    facts.push(fact(clock === 'seconds' ? words.time : words['tab.steps'], planTimeText(scene, duration)));
  if (bound !== undefined && isRight && duration > 0) {
    facts.push(fact(words.bound, planTimeText(scene, bound.seconds)));
    facts.push(fact(words.optimality, `${(100 * Math.min(1, bound.seconds / duration)).toFixed(1)} %`));
  }
  facts.push(fact(words.messages, String(messages)));
  if (measured !== undefined) facts.push(fact(words.measuredRun, `${(measured.duration * 1000).toPrecision(4)} ms`));
  return facts;
}
