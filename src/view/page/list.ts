/** A table of any length: only the rows in view are elements. Rows are chosen by click, or by arrows and Enter. */
import { html, refill } from './dom.ts';
import { pageSizes } from './shown.ts';

export interface Cell {
  readonly text: string;
  /** A bar behind the text, from 0 to 1. */
  readonly share?: number | undefined;
  readonly title?: string | undefined;
}

export interface ListEntry {
  readonly cells: readonly Cell[];
  /** Whether the row is a heading of the rows below it. */
  readonly isHeading?: boolean;
  readonly marks?: string;
}

export interface ListSource {
  readonly label: string;
  /** The titles of the columns; empty for a list without a head. */
  readonly head: readonly string[];
  readonly layout: string;
  readonly count: number;
  readonly entry: (index: number) => ListEntry;
  readonly choose: (index: number) => void;
}

export class VirtualList {
  readonly element: HTMLElement;
  private source: ListSource;
  private readonly head = html('div', { class: 'list-head', role: 'row' });
  private readonly body = html('div', { class: 'list-body', role: 'rowgroup' });
  private readonly scroller = html('div', { class: 'list-scroll', role: 'table', tabindex: 0 });
  private chosen: (index: number) => boolean = () => false;
  private cursor = -1;

  constructor(source: ListSource) {
    this.source = source;
    this.scroller.append(this.head, this.body);
    this.element = html('div', { class: 'list' }, this.scroller);
    this.scroller.addEventListener('scroll', () => this.draw());
    this.scroller.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.show(source);
  }

  show(source: ListSource): void {
    this.source = source;
    this.scroller.setAttribute('aria-label', source.label);
    this.scroller.setAttribute('aria-rowcount', String(source.count));
    this.scroller.className = `list-scroll ${source.layout}`;
    this.head.classList.toggle('away', source.head.length === 0);
    refill(this.head, ...source.head.map((text) => html('span', { role: 'columnheader' }, text)));
    this.body.style.setProperty('height', `${source.count * pageSizes.listRow}px`);
    this.draw();
  }

  mark(chosen: (index: number) => boolean): void {
    this.chosen = chosen;
    this.draw();
  }

  reveal(index: number): void {
    this.cursor = index;
    const { scrollTop, clientHeight } = this.scroller;
    const top = index * pageSizes.listRow;
    const room = clientHeight - this.head.offsetHeight;
    if (index < 0 || clientHeight === 0) return;
    if (top < scrollTop || top + pageSizes.listRow > scrollTop + room) this.scroller.scrollTop = top - room / 2;
    this.draw();
  }

  private draw(): void {
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(0, Math.floor(scrollTop / pageSizes.listRow) - pageSizes.spareRows);
    const last = Math.min(
      this.source.count,
      Math.ceil((scrollTop + clientHeight) / pageSizes.listRow) + pageSizes.spareRows,
    );
    const rows: HTMLElement[] = [];
    for (let index = first; index < last; index++) rows.push(this.row(index));
    refill(this.body, ...rows);
  }

  private row(index: number): HTMLElement {
    const { cells, isHeading = false, marks = '' } = this.source.entry(index);
    const isChosen = !isHeading && this.chosen(index);
    const row = html(
      'div',
      {
        class: `list-row ${marks} ${isHeading ? 'heading' : ''} ${index === this.cursor ? 'cursor' : ''}`,
        role: 'row',
        'aria-rowindex': index + 1,
        'aria-selected': isChosen,
        'data-index': index,
        onclick: () => {
          if (isHeading) return;
          this.cursor = index;
          this.source.choose(index);
        },
      },
      ...cells.map(({ text, share, title }) => {
        const cell = html('span', { role: 'cell', title }, text);
        if (share !== undefined) {
          const bar = html('i', { class: 'share' });
          bar.style.setProperty('width', `${(100 * Math.min(1, Math.max(0, share))).toFixed(1)}%`);
          cell.prepend(bar);
          cell.classList.add('shared');
        }
        return cell;
      }),
    );
    row.style.setProperty('top', `${index * pageSizes.listRow}px`);
    return row;
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      this.reveal(Math.max(0, Math.min(this.source.count - 1, this.cursor + by)));
    } else if (event.key === 'Enter' && this.cursor >= 0 && this.source.entry(this.cursor).isHeading !== true) {
      event.preventDefault();
      this.source.choose(this.cursor);
    }
  }
}
