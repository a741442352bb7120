/** The timeline: rows of lanes and links over time, with zoom, pan, and names under the pointer. */

import { formatSeconds } from '../../ir/units.ts';
import { firstAbove } from './columns.ts';
import { html, refill } from './dom.ts';
import { Dragging } from './dragging.ts';
import { overviewPart } from './overview.ts';
import { paintFrom } from './paint.ts';
import { lineText, linkText, operationText, type PagePart, planTimeText, type Scene } from './scene.ts';
import { pageSizes } from './shown.ts';
import { busyShare } from './spans.ts';
import { rowChoices, type State } from './state.ts';
import { densityOf, spanStyleOf, TimelinePainter } from './timeline-painter.ts';
import { heightOf, placeAt, type RowPosition, rowPositions, type TimeScale, timeAt } from './timeline-view.ts';
import { panned, zoomed } from './window.ts';
import { fill } from './words.ts';

export function timelinePart(scene: Scene): PagePart {
  const timeline = new Timeline(scene);
  const overview = overviewPart(scene);
  timeline.element.append(overview.element);
  return {
    element: timeline.element,
    update: (state, before) => {
      timeline.update(state, before);
      overview.update(state, before);
    },
  };
}

/** What is under the pointer: a span, or a row of bars with so many spans in sight. */
type Hit =
  | { readonly place: RowPosition; readonly instance: number }
  | { readonly place: RowPosition; readonly count: number };

class Timeline {
  readonly element: HTMLElement;
  private readonly scene: Scene;
  private readonly canvas = html('canvas', { class: 'time-canvas' });
  private readonly spacer = html('div', { class: 'time-spacer' });
  private readonly scroller: HTMLElement;
  private readonly tip = html('div', { class: 'tip away', role: 'status' });
  private readonly buttons: readonly HTMLButtonElement[];
  private painter: TimelinePainter | undefined;
  private places: readonly RowPosition[] = [];
  private pending = false;

  constructor(scene: Scene) {
    this.scene = scene;
    const { store, words, model } = scene;
    this.scroller = html(
      'div',
      { class: 'time-scroll', tabindex: 0, role: 'group', 'aria-label': words.timeline },
      this.canvas,
      this.spacer,
    );
    this.buttons = rowChoices.map((rows) =>
      html('button', { type: 'button', 'data-rows': rows, onclick: () => store.set({ rows }) }, words[`rows.${rows}`]),
    );
    const zoom = (factor: number) => () => store.set(zoomed(store.state, model.page.duration, factor));
    const bar = html(
      'div',
      { class: 'bar' },
      html('h2', {}, words.timeline),
      html('div', { class: 'choice', role: 'group' }, ...this.buttons),
      html(
        'div',
        { class: 'choice' },
        html('button', { type: 'button', class: 'zoom-in', title: `${words.zoomIn} (+)`, onclick: zoom(0.5) }, '+'),
        html('button', { type: 'button', class: 'zoom-out', title: `${words.zoomOut} (−)`, onclick: zoom(2) }, '−'),
        html(
          'button',
          { type: 'button', class: 'zoom-fit', title: `${words.fit} (0)`, onclick: zoom(Infinity) },
          words.fit,
        ),
      ),
      this.legend(),
    );
    this.element = html('section', { class: 'panel timeline' }, bar, this.notes(), this.scroller, this.tip);
    this.listen();
  }

  update(state: State, before: State | undefined): void {
    if (
      before === undefined ||
      before.rows !== state.rows ||
      (state.rows === 'chosen' && before.selection !== state.selection)
    ) {
      this.places = rowPositions(this.scene, state);
      this.spacer.style.setProperty('height', `${heightOf(this.places)}px`);
    }
    this.buttons.forEach((button) => {
      button.setAttribute('aria-pressed', String(button.dataset.rows === state.rows));
    });
    if (before?.theme !== state.theme) this.painter = undefined;
    if (before !== undefined && before.selection !== state.selection) this.reveal(state);
    this.requestDraw();
  }

  private notes(): HTMLElement | undefined {
    const { model, words } = this.scene;
    const { clockReason } = model.page;
    return clockReason === undefined ? undefined : html('p', { class: 'hint' }, words[`reason.${clockReason}`]);
  }

  private legend(): HTMLElement {
    const { words, model } = this.scene;
    const kinds = ['copy', 'reduce', 'send', 'recv', 'recvReduce', 'compute'] as const;
    const used = kinds.filter((_, code) => model.operations.kind.includes(code));
    return html(
      'ul',
      { class: 'legend' },
      ...used.map((kind) => html('li', { class: `kind-${kind}` }, words[`op.${kind}`])),
      model.criticalLinks.size > 0 && html('li', { class: 'kind-critical' }, words.critical),
    );
  }

  private requestDraw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  private scale(): TimeScale {
    const { clientWidth } = this.scroller;
    const left = clientWidth < 560 ? 92 : 168;
    const { from, to } = this.scene.store.state;
    return { from, to, left, width: Math.max(10, clientWidth - left - 6) };
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.scroller;
    if (width === 0) return;
    const dots = window.devicePixelRatio || 1;
    const context = this.canvas.getContext('2d');
    if (context === null) return;
    if (this.canvas.width !== Math.round(width * dots) || this.canvas.height !== Math.round(height * dots)) {
      this.canvas.width = Math.round(width * dots);
      this.canvas.height = Math.round(height * dots);
      this.canvas.style.setProperty('width', `${width}px`);
      this.canvas.style.setProperty('height', `${height}px`);
      this.spacer.style.setProperty('margin-top', `${pageSizes.axis - height}px`);
      this.painter = undefined;
    }
    this.painter ??= new TimelinePainter(this.scene, context, paintFrom(this.element, context));
    context.setTransform(dots, 0, 0, dots, 0, 0);
    const { scrollTop: scroll } = this.scroller;
    this.painter.draw(this.places, this.scene.store.state, this.scale(), { scroll, height });
  }

  /** Scrolls a chosen operation or link into view, in time and among the rows. */
  private reveal({ selection, from, to }: State): void {
    const { model, store } = this.scene;
    const isOperation = selection.kind === 'operation';
    if (!isOperation && selection.kind !== 'link') return;
    const wanted = isOperation ? model.laneOf(selection.operation) : selection.link;
    const kind = isOperation ? 'lane' : 'link';
    const place = this.places.find(({ row }) => row.kind === kind && row.index === wanted);
    const { scrollTop, clientHeight } = this.scroller;
    const seen =
      place !== undefined &&
      place.top >= scrollTop &&
      place.top + place.height <= scrollTop + clientHeight - pageSizes.axis;
    if (place !== undefined && !seen) this.scroller.scrollTop = place.top - clientHeight / 3;
    if (!isOperation || model.start.length === 0) return;
    const at = selection.bulk * model.count + selection.operation;
    if (model.end[at] >= from && model.start[at] <= to) return;
    const half = (to - from) / 2;
    const middle = Math.min(model.page.duration - half, Math.max(half, (model.start[at] + model.end[at]) / 2));
    store.set({ from: middle - half, to: middle + half });
  }

  private listen(): void {
    const { scroller } = this;
    const { store, model } = this.scene;
    new ResizeObserver(() => this.requestDraw()).observe(scroller);
    scroller.addEventListener('scroll', () => this.requestDraw());
    scroller.addEventListener(
      'wheel',
      (event) => {
        const isZoom = event.ctrlKey || event.metaKey;
        const along = event.shiftKey ? event.deltaY : event.deltaX;
        if (!isZoom && along === 0) return;
        event.preventDefault();
        const scale = this.scale();
        const { duration } = model.page;
        if (isZoom) {
          const at = timeAt(scale, this.at(event).x);
          store.set(zoomed(store.state, duration, Math.exp(event.deltaY / 300), at));
        } else store.set(panned(store.state, duration, ((scale.to - scale.from) * along) / scale.width));
      },
      { passive: false },
    );
    new Dragging(this.canvas, {
      moved: (by) => {
        const scale = this.scale();
        store.set(panned(store.state, model.page.duration, (-by * (scale.to - scale.from)) / scale.width));
      },
      pinched: (factor, x) => {
        const at = timeAt(this.scale(), x - this.canvas.getBoundingClientRect().left);
        store.set(zoomed(store.state, model.page.duration, factor, at));
      },
      clicked: (event) => this.click(event),
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.pointerType !== 'touch') this.hover(event);
    });
    this.canvas.addEventListener('pointerleave', () => this.tip.classList.add('away'));
    this.canvas.addEventListener('dblclick', (event) => this.zoomTo(event));
  }

  private at(event: MouseEvent): { readonly x: number; readonly y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private click(event: MouseEvent): void {
    const { store, model } = this.scene;
    const { x, y } = this.at(event);
    const scale = this.scale();
    const hit = this.hitAt(x, y);
    const span = hit !== undefined && 'instance' in hit ? hit : undefined;
    if (x >= scale.left && (y < pageSizes.axis || span === undefined)) {
      const time = Math.min(model.page.duration, Math.max(0, timeAt(scale, x)));
      store.set({ time, ...(y < pageSizes.axis ? {} : { selection: { kind: 'nothing' } }) });
      return;
    }
    if (span !== undefined) {
      const { instance } = span;
      const selection = {
        kind: 'operation',
        operation: instance % model.count,
        bulk: Math.floor(instance / model.count),
      } as const;
      store.set({ selection });
      return;
    }
    const place = placeAt(this.places, y - pageSizes.axis + this.scroller.scrollTop);
    if (place === undefined) return;
    const { kind, index } = place.row;
    store.set({
      selection:
        kind === 'link' ? { kind, link: index } : { kind: 'node', node: model.nodeOf(model.rankOfLane(index)) },
    });
  }

  private zoomTo(event: MouseEvent): void {
    const { x, y } = this.at(event);
    const hit = this.hitAt(x, y);
    if (hit === undefined || !('instance' in hit)) return;
    const { model, store } = this.scene;
    const [start, end] = [model.start[hit.instance], model.end[hit.instance]];
    const room = Math.max(end - start, model.page.duration * 1e-6);
    store.set({ from: Math.max(0, start - room / 4), to: Math.min(model.page.duration, end + room / 4) });
  }

  private hitAt(x: number, y: number): Hit | undefined {
    const { model, store } = this.scene;
    const scale = this.scale();
    if (y < pageSizes.axis || x < scale.left || !model.hasSpans) return undefined;
    const place = placeAt(this.places, y - pageSizes.axis + this.scroller.scrollTop);
    if (place === undefined) return undefined;
    const { row } = place;
    const { spans, scale: own } = spanStyleOf(model, row, store.state, scale);
    const count = densityOf(row, spans, own);
    if (count > own.width) return { place, count };
    const parts = row.first.length - 1;
    const part = Math.min(
      parts - 1,
      Math.max(
        0,
        Math.floor(((y - pageSizes.axis + this.scroller.scrollTop - place.top - 2) / (place.height - 5)) * parts),
      ),
    );
    const slack = ((own.to - own.from) / own.width) * 2;
    const time = timeAt(own, x);
    const at = firstAbove(spans.start, time + slack / 2, row.first[part], row.first[part + 1]) - 1;
    if (at < row.first[part] || spans.end[at] + slack < time) return undefined;
    return { place, instance: spans.instance[at] };
  }

  private hover(event: PointerEvent): void {
    const { x, y } = this.at(event);
    const hit = this.hitAt(x, y);
    this.canvas.classList.toggle('over', hit !== undefined && 'instance' in hit);
    this.tip.classList.toggle('away', hit === undefined);
    if (hit === undefined) return;
    refill(this.tip, ...this.linesOf(hit).map((line) => html('div', {}, line)));
    const box = this.element.getBoundingClientRect();
    const left = Math.min(event.clientX - box.left + 14, box.width - this.tip.offsetWidth - 8);
    this.tip.style.setProperty('left', `${Math.max(4, left)}px`);
    this.tip.style.setProperty('top', `${event.clientY - box.top + 18}px`);
  }

  private linesOf(hit: Hit): readonly string[] {
    if (!('instance' in hit)) return [hit.place.label, this.busyText(hit)];
    const { place, instance } = hit;
    const { scene } = this;
    const { model, words } = scene;
    const operation = instance % model.count;
    const rank = model.rankOf(operation);
    const { row } = place;
    const times = this.timesOf(row.kind, instance);
    const bulk = model.page.bulks > 1 ? ` · ${words.bulk} ${Math.floor(instance / model.count)}` : '';
    const lines = [
      `${words.rank} ${rank}: ${operationText(scene, operation)}`,
      times,
      `${words.step} ${model.operations.step[operation]}${bulk}`,
      ...(row.kind === 'link' ? [linkText(scene, row.index)] : []),
      ...(model.critical.has(instance) ? [words.onCritical] : []),
    ];
    const line = lineText(scene, operation);
    return line === undefined ? lines : [...lines, line];
  }

  /** How busy a row is in the window. */
  private busyText({ place: { row }, count }: { readonly place: RowPosition; readonly count: number }): string {
    const { model, store, words } = this.scene;
    const { spans, scale } = spanStyleOf(model, row, store.state, this.scale());
    let busy = 0;
    for (let part = 0; part + 1 < row.first.length; part++) {
      busy += busyShare(spans, row.first[part], row.first[part + 1], scale.from, scale.to);
    }
    return fill(words.busyHere, { count, share: `${(100 * Math.min(1, busy)).toFixed(1)} %` });
  }

  private timesOf(kind: RowPosition['row']['kind'], instance: number): string {
    const { model } = this.scene;
    const text = (start: number, end: number, write: (value: number) => string): string =>
      `${write(start)} – ${write(end)} (${write(end - start)})`;
    if (kind !== 'measured' || model.measured === undefined) {
      return text(model.start[instance], model.end[instance], (value) => planTimeText(this.scene, value));
    }
    const at = model.measured.instance.indexOf(instance);
    return text(model.measured.start[at], model.measured.end[at], formatSeconds);
  }
}
