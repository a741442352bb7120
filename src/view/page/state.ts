/** The state of the page, which all of its parts show and change. */

/** The selection; all parts of the page highlight everything that belongs to it. */
export type Selection =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'operation'; readonly operation: number; readonly bulk: number }
  | { readonly kind: 'link'; readonly link: number }
  | { readonly kind: 'node'; readonly node: number }
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'line'; readonly source: number; readonly line: number };

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const rowChoices = ['all', 'links', 'lanes', 'critical', 'chosen'] as const;
export type RowChoice = (typeof rowChoices)[number];

export interface State {
  /** Index of the plan that is shown. */
  readonly plan: number;
  /** In units of the plan's clock. */
  readonly time: number;
  readonly playing: boolean;
  /** The speed of playing, as a multiple of the default speed. */
  readonly speed: number;
  readonly selection: Selection;
  /** The certificate that is drawn on the machine, −1 for none. */
  readonly certificate: number;
  /** The part of the time that the timeline shows. */
  readonly from: number;
  readonly to: number;
  readonly rows: RowChoice;
  /** Links of the machine are as wide as they are busy over the whole time. */
  readonly showUse: boolean;
  readonly showCritical: boolean;
  /** A measured run is drawn as wide as the simulated one, not by the same seconds. */
  readonly stretched: boolean;
  readonly tab: string;
  readonly language: Language;
  readonly theme: Theme;
}

type Listener = (state: State, before: State) => void;

export class Store {
  state: State;
  private readonly listeners: Listener[] = [];

  constructor(state: State) {
    this.state = state;
  }

  set(change: Partial<State>): void {
    const before = this.state;
    this.state = { ...before, ...change };
    for (const listener of this.listeners) listener(this.state, before);
  }

  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** For a page that is built anew. */
  forget(): void {
    this.listeners.length = 0;
  }
}
