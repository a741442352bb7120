/** Makes elements from data. Texts become text nodes, never markup, and control characters in them are replaced by a mark. */
import { plainLines } from '../../ir/plain-text.ts';

type Child = Node | string | undefined | false;

/** Attributes, and listeners by `onclick` and the like; undefined and false leave one out, true sets it empty. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: never) => void)>>;

const svgNamespace = 'http://www.w3.org/2000/svg';

export function html<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return filled(document.createElement(tag), attributes, children);
}

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  return filled(document.createElementNS(svgNamespace, tag), attributes, children);
}

/** Attributes of ARIA say true and false in words. */
function isWord(name: string): boolean {
  return name.startsWith('aria-');
}

function filled<Made extends Element>(element: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), (event) => value(event as never));
    else if (value === true && !isWord(name)) element.setAttribute(name, '');
    else if (value !== undefined && (value !== false || isWord(name)))
      element.setAttribute(name, plainLines(String(value)));
  }
  for (const child of children) {
    if (child !== undefined && child !== false) {
      element.append(typeof child === 'string' ? document.createTextNode(plainLines(child)) : child);
    }
  }
  return element;
}

/** Replaces the children of an element. */
export function refill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren();
  filled(element, {}, children);
}
