/** The curve of a link on the drawing: quadratic, both directions of a pair side by side, from rim to rim. */
import type { PageLink, PageMachine } from '../page-document.ts';
import { drawingSizes } from './shown.ts';

export interface CurvePoint {
  readonly x: number;
  readonly y: number;
}

export interface Curve {
  readonly start: CurvePoint;
  readonly control: CurvePoint;
  readonly end: CurvePoint;
}

export function curveOf({ nodes }: PageMachine, { from, to, bend }: PageLink): Curve {
  const [a, b] = [nodes[from], nodes[to]];
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  // To the left of the direction of the link, so that the two directions of a pair lie side by side.
  const [nx, ny] = [uy, -ux];
  const side = (point: CurvePoint, off: number): CurvePoint => ({ x: point.x + nx * off, y: point.y + ny * off });
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  // A quadratic curve's midpoint is half as far from the line between its ends as its control point.
  const control = side(middle, drawingSizes.apart + 2 * bend);
  return {
    start: onRim(side(a, drawingSizes.apart), control),
    control,
    end: onRim(side(b, drawingSizes.apart), control),
  };
}

function onRim(centre: CurvePoint, towards: CurvePoint): CurvePoint {
  const [dx, dy] = [towards.x - centre.x, towards.y - centre.y];
  const length = Math.hypot(dx, dy) || 1;
  const part = Math.min(drawingSizes.node, length / 2) / length;
  return { x: centre.x + dx * part, y: centre.y + dy * part };
}

/** The point of a curve at a parameter from 0 to 1. */
export function pointOn({ start, control, end }: Curve, part: number): CurvePoint {
  const rest = 1 - part;
  const at = (a: number, b: number, c: number) => rest * rest * a + 2 * rest * part * b + part * part * c;
  return { x: at(start.x, control.x, end.x), y: at(start.y, control.y, end.y) };
}

export function pathText({ start, control, end }: Curve): string {
  const text = ({ x, y }: CurvePoint) => `${x.toFixed(3)} ${y.toFixed(3)}`;
  return `M${text(start)}Q${text(control)} ${text(end)}`;
}
