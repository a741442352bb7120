import { pageSizes } from './shown.ts';

/** Presses, drags and pinches of pointers on an element. */
export class Dragging {
  private readonly pointers = new Map<number, { readonly x: number; readonly y: number }>();
  private travelled = 0;

  constructor(
    element: HTMLElement,
    on: {
      readonly moved: (by: number) => void;
      readonly pinched: (factor: number, x: number) => void;
      readonly clicked: (event: PointerEvent) => void;
    },
  ) {
    element.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.travelled = this.pointers.size === 0 ? 0 : Number.POSITIVE_INFINITY;
      this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener('pointermove', (event) => {
      const before = this.pointers.get(event.pointerId);
      if (before === undefined) return;
      const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const [other] = others;
      if (other !== undefined) {
        const [was, is] = [Math.abs(before.x - other.x), Math.abs(event.clientX - other.x)];
        if (was > 8 && is > 8) on.pinched(was / is, (event.clientX + other.x) / 2);
        return;
      }
      this.travelled += Math.abs(event.clientX - before.x) + Math.abs(event.clientY - before.y);
      if (this.travelled >= pageSizes.click) on.moved(event.clientX - before.x);
    });
    const release = (event: PointerEvent): void => {
      const isClick =
        this.pointers.delete(event.pointerId) && this.travelled < pageSizes.click && event.type === 'pointerup';
      if (isClick) on.clicked(event);
    };
    element.addEventListener('pointerup', release);
    element.addEventListener('pointercancel', release);
  }
}
