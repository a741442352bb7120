/**
 * Draws the visible part of the timeline. Rows with more spans in sight than pixels are drawn as bars, one for each pixel and as tall as it is
 * busy; so it does not matter how much there is.
 */
import { ticks, tickText } from './axis.ts';
import { firstAbove } from './columns.ts';
import type { Paint } from './paint.ts';
import type { PlanModel, TimelineRow } from './plan-model.ts';
import { isChosen, kindLetters, type Scene } from './scene.ts';
import { pageSizes } from './shown.ts';
import { busyShare, countWithin, type Spans } from './spans.ts';
import type { State } from './state.ts';
import { type RowPosition, type TimeScale, xOf } from './timeline-view.ts';

export class TimelinePainter {
  private readonly scene: Scene;
  private readonly context: CanvasRenderingContext2D;
  private readonly paint: Paint;

  constructor(scene: Scene, context: CanvasRenderingContext2D, paint: Paint) {
    this.scene = scene;
    this.context = context;
    this.paint = paint;
  }

  /** @param scale where the rows' times are; labels stand left of it @param size of the canvas in CSS pixels */
  draw(
    places: readonly RowPosition[],
    state: State,
    scale: TimeScale,
    { scroll, height }: { readonly scroll: number; readonly height: number },
  ): void {
    const { context, paint } = this;
    const right = scale.left + scale.width;
    context.fillStyle = paint.background;
    context.fillRect(0, 0, right, height);
    this.gridLines(scale, height);
    context.save();
    context.beginPath();
    context.rect(0, pageSizes.axis, right, height - pageSizes.axis);
    context.clip();
    for (const place of places) {
      const top = pageSizes.axis + place.top - scroll;
      if (top + place.height < pageSizes.axis || top > height) continue;
      this.row(place, top, state, scale);
    }
    context.restore();
    this.axis(scale);
    this.playhead(state.time, scale, height);
  }

  private row({ row, height, label }: RowPosition, top: number, state: State, scale: TimeScale): void {
    const { context, paint } = this;
    context.save();
    context.beginPath();
    context.rect(scale.left, top, scale.width, height);
    context.clip();
    this.spans(row, top, height, state, scale);
    context.restore();
    context.fillStyle = paint.line;
    context.fillRect(0, top + height - 0.5, scale.left + scale.width, 0.5);
    context.fillStyle = row.kind === 'measured' ? paint.faint : paint.text;
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.fillText(fitted(context, label, scale.left - 12), row.kind === 'measured' ? 18 : 8, top + height / 2);
  }

  private spans(row: TimelineRow, top: number, height: number, state: State, scale: TimeScale): void {
    const { spans, scale: own } = spanStyleOf(this.scene.model, row, state, scale);
    const isDense = densityOf(row, spans, own) > own.width;
    const parts = row.first.length - 1;
    const inner = (height - 5) / parts;
    for (let part = 0; part < parts; part++) {
      const box = { top: top + 2 + part * inner, height: inner };
      const within = [row.first[part], row.first[part + 1]] as const;
      if (isDense) this.bars(row, spans, within, box, own);
      else this.part(row, spans, within, box, state, own);
    }
    if (isDense) this.critical(row, { top: top + 2, height: height - 5 }, state, own);
  }

  /** Spans of a part stand in order and do not overlap: the first that is visible is found by bisection, and so is the next pixel's. */
  private part(
    row: TimelineRow,
    spans: Spans,
    [from, to]: readonly [number, number],
    box: { readonly top: number; readonly height: number },
    state: State,
    scale: TimeScale,
  ): void {
    const perPixel = (scale.to - scale.from) / scale.width;
    const hasChoice = state.selection.kind !== 'nothing';
    let at = Math.max(from, firstAbove(spans.start, scale.from, from, to) - 1);
    while (at < to && spans.start[at] <= scale.to) {
      const [start, end] = [spans.start[at], spans.end[at]];
      if (end - start >= perPixel || at + 1 === to || spans.start[at + 1] - start >= perPixel) {
        if (end >= scale.from) this.span(row, spans.instance[at], start, end, box, state, scale, hasChoice);
        at++;
        continue;
      }
      this.span(row, spans.instance[at], start, Math.max(end, start + perPixel), box, state, scale, hasChoice);
      at = Math.max(at + 1, firstAbove(spans.start, start + perPixel, at, to));
    }
  }

  private span(
    row: TimelineRow,
    instance: number,
    start: number,
    end: number,
    box: { readonly top: number; readonly height: number },
    state: State,
    scale: TimeScale,
    hasChoice: boolean,
  ): void {
    const { context, paint } = this;
    const { model } = this.scene;
    const operation = instance % model.count;
    const left = Math.max(scale.left - 2, xOf(scale, start));
    const width = Math.max(1, Math.min(scale.left + scale.width + 2, xOf(scale, end)) - left - (end > start ? 0.5 : 0));
    const kind = model.operations.kind[operation];
    const chosen = hasChoice && isChosen(model, state.selection, instance);
    context.globalAlpha = hasChoice && !chosen ? 0.35 : 1;
    context.fillStyle = row.kind === 'link' ? this.stepColour(operation) : paint.kinds[kind];
    context.fillRect(left, box.top, width, box.height);
    const texture = row.kind === 'link' ? undefined : row.kind === 'measured' ? paint.measured : paint.textures[kind];
    if (width >= pageSizes.texturedSpan && texture !== undefined) {
      context.fillStyle = texture;
      context.fillRect(left, box.top, width, box.height);
    }
    context.globalAlpha = 1;
    if (row.kind !== 'measured' && state.showCritical && model.critical.has(this.sendOf(row, instance))) {
      context.fillStyle = paint.critical;
      context.fillRect(left, box.top, width, 3);
      context.fillRect(left, box.top + box.height - 2, width, 2);
    }
    if (chosen) {
      context.strokeStyle = paint.chosen;
      context.lineWidth = 2;
      context.strokeRect(left + 1, box.top + 1, Math.max(0, width - 2), Math.max(0, box.height - 2));
    }
    if (width < pageSizes.namedSpan || box.height < 11 || (hasChoice && !chosen)) return;
    context.font = '10px system-ui, sans-serif';
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    const text = fitted(context, this.nameOf(row, operation), width - 8);
    if (text === '') return;
    // A plain ground, so that no texture runs through the letters.
    context.fillStyle = row.kind === 'link' ? this.stepColour(operation) : paint.kinds[kind];
    context.fillRect(left + 2, box.top + 4, context.measureText(text).width + 4, box.height - 7);
    context.fillStyle = paint.ink;
    context.fillText(text, left + 4, box.top + box.height / 2 + 0.5);
  }

  /** On the critical path a message is known by its send or its receive. */
  private sendOf(row: TimelineRow, instance: number): number {
    if (row.kind !== 'link') return instance;
    const { model } = this.scene;
    const partner = model.operations.partner[instance % model.count];
    const receive = instance - (instance % model.count) + partner;
    return partner >= 0 && model.critical.has(receive) ? receive : instance;
  }

  private nameOf(row: TimelineRow, operation: number): string {
    const { model } = this.scene;
    const { kind, peer } = model.operations;
    if (row.kind === 'link') return `${model.rankOf(operation)}→${peer[operation]}: ${model.chunkText(operation)}`;
    const slice = model.sliceText(operation, model.isSend(operation) ? 'src' : 'dst') ?? '';
    return `${kindLetters[kind[operation]]} ${slice}`;
  }

  private stepColour(operation: number): string {
    const { steps } = this.paint;
    return steps[this.scene.model.operations.step[operation] % steps.length];
  }

  /** How busy a part is, pixel by pixel, each in the colour of the span that begins there or before. */
  private bars(
    row: TimelineRow,
    spans: Spans,
    [first, last]: readonly [number, number],
    box: { readonly top: number; readonly height: number },
    scale: TimeScale,
  ): void {
    const { context, paint } = this;
    const { model } = this.scene;
    const perPixel = (scale.to - scale.from) / scale.width;
    for (let x = 0; x < scale.width; x++) {
      const from = scale.from + x * perPixel;
      const share = busyShare(spans, first, last, from, from + perPixel);
      if (share === 0) continue;
      const at = Math.max(first, firstAbove(spans.start, from + perPixel, first, last) - 1);
      const operation = spans.instance[at] % model.count;
      const colour = row.kind === 'link' ? this.stepColour(operation) : paint.kinds[model.operations.kind[operation]];
      const tall = Math.max(1, share * box.height);
      context.fillStyle = colour;
      context.fillRect(scale.left + x, box.top + box.height - tall, 1, tall);
    }
  }

  /** The critical path over the bars of a row. */
  private critical(
    row: TimelineRow,
    { top, height }: { readonly top: number; readonly height: number },
    { showCritical }: State,
    scale: TimeScale,
  ): void {
    if (!showCritical || row.kind === 'measured') return;
    const { context, paint } = this;
    const { model } = this.scene;
    context.fillStyle = paint.critical;
    let drawn = Number.NEGATIVE_INFINITY;
    for (const instance of model.criticalOf(row)) {
      if (model.end[instance] < scale.from || model.start[instance] > scale.to) continue;
      const [left, right] = [xOf(scale, model.start[instance]), xOf(scale, model.end[instance])];
      if (right < drawn + 1) continue;
      drawn = Math.max(right, left + 1);
      context.fillRect(left, top, drawn - left, 3);
      context.fillRect(left, top + height - 2, drawn - left, 2);
    }
  }

  private gridLines(scale: TimeScale, height: number): void {
    const { context, paint } = this;
    context.fillStyle = paint.line;
    for (const tick of ticks(scale.from, scale.to, scale.width / 110)) {
      context.fillRect(Math.round(xOf(scale, tick)), pageSizes.axis, 1, height);
    }
  }

  private axis(scale: TimeScale): void {
    const { context, paint } = this;
    const { clock } = this.scene.model.page;
    const marks = ticks(scale.from, scale.to, scale.width / 110);
    context.fillStyle = paint.background;
    context.fillRect(0, 0, scale.left + scale.width, pageSizes.axis);
    context.fillStyle = paint.faint;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const step = marks.length > 1 ? marks[1] - marks[0] : scale.to - scale.from;
    for (const tick of marks) {
      const x = xOf(scale, tick);
      context.textAlign = x > scale.left + scale.width - 50 ? 'right' : x < scale.left + 20 ? 'left' : 'center';
      context.fillText(tickText(tick, step, marks[marks.length - 1], clock), x, pageSizes.axis / 2);
    }
    context.fillStyle = paint.line;
    context.fillRect(0, pageSizes.axis - 1, scale.left + scale.width, 1);
  }

  private playhead(time: number, scale: TimeScale, height: number): void {
    const x = Math.round(xOf(scale, time));
    if (x < scale.left || x > scale.left + scale.width) return;
    const { context, paint } = this;
    context.fillStyle = paint.playhead;
    context.fillRect(x - 0.5, pageSizes.axis - 6, 1.5, height);
    context.beginPath();
    context.moveTo(x - 5, pageSizes.axis - 10);
    context.lineTo(x + 6, pageSizes.axis - 10);
    context.lineTo(x + 0.5, pageSizes.axis - 2);
    context.fill();
  }
}

/** The number of visible spans in all tracks of a row. */
export function densityOf({ first }: TimelineRow, spans: Spans, { from, to }: TimeScale): number {
  let count = 0;
  for (let part = 0; part + 1 < first.length; part++) {
    count += countWithin(spans, first[part], first[part + 1], from, to);
  }
  return count;
}

/** The table that a row's spans stand in, and the scale that they are drawn by. */
export function spanStyleOf(
  model: PlanModel,
  { kind }: TimelineRow,
  state: State,
  scale: TimeScale,
): { readonly spans: Spans; readonly scale: TimeScale } {
  if (kind !== 'measured' || model.measured === undefined) return { spans: model.spans, scale };
  return { spans: model.measured, scale: measuredScale(model, state, scale) };
}

/** A measured run has seconds of its own; stretched, its whole is as wide as the simulated one. */
function measuredScale(model: PlanModel, { stretched }: State, scale: TimeScale): TimeScale {
  const { measured, duration } = model.page;
  if (measured === undefined || !stretched || duration === 0) return scale;
  const factor = measured.duration / duration;
  return { ...scale, from: scale.from * factor, to: scale.to * factor };
}

/** The text, cut to a width. */
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  for (let length = text.length - 1; length > 1; length--) {
    const shorter = `${text.slice(0, length)}…`;
    if (context.measureText(shorter).width <= width) return shorter;
  }
  return '';
}
