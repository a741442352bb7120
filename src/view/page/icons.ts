/** Signs on buttons, drawn: fonts do not have them everywhere. */
import { svg } from './dom.ts';

const shapes = {
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z',
  back: 'M11 2.5v11L3.5 8z',
  forward: 'M5 2.5v11L12.5 8z',
  'to-start': 'M2.5 2.5h2v11h-2zM13 2.5v11L5.5 8z',
  'to-end': 'M11.5 2.5h2v11h-2zM3 2.5v11L10.5 8z',
} as const;

export type IconName = keyof typeof shapes;

export function icon(name: IconName): SVGSVGElement {
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': true }, svg('path', { d: shapes[name] }));
}
