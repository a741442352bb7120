/** A served page reloads itself when its files change; this module restores its state afterwards. */
import type { PageDocument } from '../page-document.ts';
import type { State, Store } from './state.ts';

const key = 'ccc-view';

export function reloadOnChange(): void {
  new EventSource('/changes').addEventListener('message', () => location.reload());
}

export function rememberOnReload(store: Store): void {
  addEventListener('pagehide', () => {
    const { plan, time, tab, language, theme, rows, showUse, showCritical } = store.state;
    const part = store.state.to > 0 ? time / store.state.to : 0;
    sessionStorage.setItem(key, JSON.stringify({ plan, part, tab, language, theme, rows, showUse, showCritical }));
  });
}

/** The stored state, without parts that no longer fit the plan. */
export function remembered({ plans }: PageDocument): Partial<State> {
  const text = sessionStorage.getItem(key);
  if (text === null) return {};
  const { plan, part, ...kept } = JSON.parse(text);
  if (!(plan in plans)) return kept;
  const { duration } = plans[plan];
  return { ...kept, plan, time: Math.min(1, part) * duration, to: duration > 0 ? duration : 1 };
}
