/** Draws the machine as a graph, with messages moving along its links. */
import type { PageMachine } from '../page-document.ts';
import { type Curve, curveOf, pathText, pointOn } from './curves.ts';
import { html, refill, svg } from './dom.ts';
import { chosenLinks, chosenNodes, linkText, type PagePart, type Scene } from './scene.ts';
import { drawingSizes, pageSizes } from './shown.ts';
import type { State } from './state.ts';
import { fill, stopped } from './words.ts';

export function machinePart(scene: Scene): PagePart {
  const { machine } = scene.model.page;
  if (machine.tooLarge) {
    const { nodes, links } = machine;
    const text = fill(scene.words.tooLarge, { nodes: nodes.length, links: links.length });
    return { element: html('p', { class: 'empty' }, text), update: () => {} };
  }
  const drawing = new MachineDrawing(scene);
  return { element: drawing.element, update: (state, before) => drawing.update(state, before) };
}

class MachineDrawing {
  readonly element: HTMLElement;
  private readonly scene: Scene;
  private readonly curves: readonly Curve[];
  private readonly links: readonly SVGPathElement[];
  private readonly nodes: readonly SVGGElement[];
  private readonly rings: readonly (SVGCircleElement | undefined)[];
  private readonly marks = svg('g', { class: 'marks' });
  private readonly layer = svg('g', { class: 'messages' });
  private readonly caption = html('p', { class: 'caption' });
  private readonly pool: { readonly group: SVGGElement; readonly text: SVGTextElement; instance: number }[] = [];
  private busy: ReadonlySet<number> = new Set();

  constructor(scene: Scene) {
    this.scene = scene;
    const { machine } = scene.model.page;
    this.curves = machine.links.map((link) => curveOf(machine, link));
    this.links = this.curves.map((curve, link) => this.drawLink(curve, link));
    const drawn = machine.nodes.map((_, node) => this.drawNode(node));
    this.nodes = drawn.map(({ group }) => group);
    this.rings = drawn.map(({ ring }) => ring);
    const bow = this.curves.map(({ start, end, control }) => pointOn({ start, control, end }, 0.5));
    const xs = [0, machine.width, ...bow.map(({ x }) => x)];
    const ys = [0, machine.height, ...bow.map(({ y }) => y)];
    const [width, height] = [extent(xs), extent(ys)].map((size) =>
      Math.max(drawingSizes.leastExtent, size + 2 * drawingSizes.margin),
    );
    const left = (least(xs) + most(xs) - width) / 2;
    const top = (least(ys) + most(ys) - height) / 2;
    const picture = svg(
      'svg',
      {
        class: machine.links.length > 300 ? 'machine dense' : 'machine',
        viewBox: `${left} ${top} ${width} ${height}`,
        role: 'group',
        'aria-label': machine.real ? machine.name : scene.words.machineNone,
      },
      patterns(),
      ...machine.boxes.map((box) => boxOf(box)),
      svg('g', { class: 'links' }, ...this.links),
      this.marks,
      svg('g', { class: 'nodes' }, ...this.nodes),
      this.layer,
    );
    this.element = html('div', { class: 'machine-frame' }, picture, this.caption);
  }

  update(state: State, before: State | undefined): void {
    if (before === undefined || state.selection !== before.selection) this.showChosen(state);
    if (before === undefined || state.certificate !== before.certificate) this.showCertificate(state.certificate);
    if (before === undefined || state.showUse !== before.showUse || state.showCritical !== before.showCritical) {
      this.showUse(state);
    }
    if (before === undefined || state.time !== before.time) this.showTime(state.time);
  }

  private drawLink(curve: Curve, link: number): SVGPathElement {
    const { store, model } = this.scene;
    const { speed } = model.page.machine.links[link];
    const use = model.page.links.find((entry) => entry.link === link);
    const share = use === undefined || model.page.duration === 0 ? 0 : use.busy / model.page.duration;
    const title = [linkText(this.scene, link), speed, `${percent(share)} ${this.scene.words.busy}`];
    const path = svg('path', {
      class: 'link',
      d: pathText(curve),
      'data-link': link,
      onclick: () => store.set({ selection: { kind: 'link', link } }),
    });
    path.append(svg('title', {}, title.filter((part) => part !== '').join('\n')));
    return path;
  }

  private drawNode(node: number): { readonly group: SVGGElement; readonly ring: SVGCircleElement | undefined } {
    const { store, model, words } = this.scene;
    const { machine } = model.page;
    const { name, kind, rank, x, y } = machine.nodes[node];
    const choose = () => store.set({ selection: { kind: 'node', node } });
    const ring =
      rank < 0
        ? undefined
        : svg('circle', { class: 'ring', r: drawingSizes.node + 0.045, pathLength: 1, transform: 'rotate(-90)' });
    const shape =
      kind === 'chip'
        ? svg('circle', { class: 'body', r: drawingSizes.node })
        : svg('rect', { class: 'body', x: -0.36, y: -0.2, width: 0.72, height: 0.4, rx: kind === 'host' ? 0 : 0.12 });
    const label = rank >= 0 ? String(rank) : kind === 'switch' ? '⇄' : '▤';
    const isNamed = rank < 0 && machine.nodes.length <= pageSizes.names;
    const group = svg(
      'g',
      {
        class: `node ${kind}`,
        transform: `translate(${x} ${y})`,
        tabindex: 0,
        role: 'button',
        'aria-label': rank < 0 ? name : `${name}, ${words.rank} ${rank}`,
        'data-node': node,
        onclick: choose,
        onkeydown: (event: KeyboardEvent) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          choose();
        },
      },
      svg('title', {}, rank < 0 ? name : `${name}, ${words.rank} ${rank}`),
      ring,
      shape,
      svg('text', { class: 'label', y: 0.015 }, label),
      isNamed && svg('text', { class: 'name', y: -0.3 }, name),
    );
    return { group, ring };
  }

  private showChosen({ selection }: State): void {
    const links = chosenLinks(this.scene, selection);
    const nodes = chosenNodes(this.scene, selection);
    this.links.forEach((path, link) => {
      path.classList.toggle('chosen', links.has(link));
    });
    this.nodes.forEach((group, node) => {
      group.classList.toggle('chosen', nodes.has(node));
    });
  }

  /** Widths say how busy links are; the critical path is drawn as dashes beside its colour. */
  private showUse({ showUse, showCritical }: State): void {
    const { model } = this.scene;
    const { links, duration } = model.page;
    const shares = new Map(links.map(({ link, busy }) => [link, duration > 0 ? busy / duration : 0]));
    this.links.forEach((path, link) => {
      path.classList.toggle('critical', showCritical && model.criticalLinks.has(link));
      path.classList.toggle('unused', showUse && !shares.has(link));
      if (showUse) path.style.setProperty('stroke-width', String(0.012 + 0.09 * Math.min(1, shares.get(link) ?? 0)));
      else path.style.removeProperty('stroke-width');
    });
  }

  private showCertificate(index: number): void {
    const { store, model, words } = this.scene;
    const { machine, bound } = model.page;
    const certificate = bound?.certificates[index];
    const links = new Set(certificate?.links);
    const nodes = new Set(certificate?.nodes);
    const isCut = certificate !== undefined && certificate.inside.length > 0;
    this.element.classList.toggle('certified', links.size > 0);
    this.links.forEach((path, link) => {
      path.classList.toggle('counted', links.has(link) && !isCut);
      path.classList.toggle('crossing', links.has(link) && isCut);
    });
    this.nodes.forEach((group, node) => {
      group.classList.toggle('named', nodes.has(node));
    });
    refill(this.marks, ...(certificate?.inside ?? []).map((node) => insideMark(machine, node)));
    const isMarked = links.size + nodes.size > 0;
    const text = isCut ? words.markedCut : isMarked ? words.markedLinks : words.markedNothing;
    refill(
      this.caption,
      certificate === undefined ? '' : `${stopped(certificate.reason, store.state.language)} ${text}`,
    );
  }

  private showTime(time: number): void {
    const { model } = this.scene;
    const messages = model.underWay(time);
    const busy = new Set(messages.flatMap((instance) => [...model.linksOf(instance)]));
    for (const link of this.busy) if (!busy.has(link)) this.links[link].classList.remove('busy');
    for (const link of busy) if (!this.busy.has(link)) this.links[link].classList.add('busy');
    this.busy = busy;
    this.rings.forEach((ring, node) => {
      const part = model.received(model.page.machine.nodes[node].rank, time);
      ring?.setAttribute('stroke-dasharray', `${part.toFixed(3)} 2`);
    });
    this.moveMessages(messages.slice(0, pageSizes.messages), time);
  }

  private moveMessages(messages: readonly number[], time: number): void {
    this.layer.classList.toggle('many', messages.length > pageSizes.labels);
    while (this.pool.length < messages.length) this.pool.push(this.newMessage());
    this.pool.forEach((entry, index) => {
      const instance = messages[index];
      entry.group.classList.toggle('away', instance === undefined);
      if (instance === undefined) return;
      const { x, y } = this.placeOf(instance, time);
      entry.group.setAttribute('transform', `translate(${x.toFixed(3)} ${y.toFixed(3)})`);
      if (entry.instance === instance) return;
      entry.instance = instance;
      const { model } = this.scene;
      const text = model.chunkText(instance % model.count);
      refill(entry.text, text);
      entry.group.setAttribute('class', `message tone${toneOf(text)}`);
      entry.group.firstElementChild?.setAttribute('width', String(0.12 + 0.075 * text.length));
      entry.group.firstElementChild?.setAttribute('x', String(-(0.12 + 0.075 * text.length) / 2));
      entry.group.classList.toggle('critical', model.critical.has(instance));
    });
  }

  private newMessage(): (typeof this.pool)[number] {
    const text = svg('text', { y: 0.01 });
    const body = svg('rect', { x: -0.15, y: -0.1, width: 0.3, height: 0.2, rx: 0.06 });
    const dot = svg('circle', { class: 'dot', r: 0.09 });
    const group = svg('g', { class: 'message' }, body, text, dot);
    const entry = { group, text, instance: -1 };
    const { store, model } = this.scene;
    group.addEventListener('click', () => {
      const { instance } = entry;
      const [operation, bulk] = [instance % model.count, Math.floor(instance / model.count)];
      store.set({ selection: { kind: 'operation', operation, bulk } });
    });
    this.layer.append(group);
    return entry;
  }

  /** The place of a message on its route. Each link of the route gets an equal part of the time, so that the eye can follow. */
  private placeOf(instance: number, time: number): { readonly x: number; readonly y: number } {
    const { model } = this.scene;
    const route = model.routeOf(instance);
    const [start, end] = [model.start[instance], model.end[instance]];
    const part = end > start ? Math.min(1, Math.max(0, (time - start) / (end - start))) : 0;
    if (route.length === 0) {
      const { x, y } = model.page.machine.nodes[model.nodeOf(model.rankOf(instance % model.count))];
      return { x, y };
    }
    const along = Math.min(route.length - 1e-9, part * route.length);
    return pointOn(this.curves[route[Math.floor(along)]], along - Math.floor(along));
  }
}

/** One of eight tones, such that neighbouring chunks differ: by the first of them, counted in messages of that many. */
function toneOf(text: string): number {
  const [first = 0, last = first] = (text.match(/\d+/g) ?? []).map(Number);
  return Math.floor(first / (last - first + 1)) % 8;
}

function boxOf({ label, x, y, width, height }: PageMachine['boxes'][number]): SVGGElement {
  return svg(
    'g',
    { class: 'box' },
    svg('rect', { x, y, width, height, rx: 0.2 }),
    svg('text', { x: x + 0.12, y: y + height - 0.12 }, label),
  );
}

/** A hatched pattern, for people who cannot distinguish the colours. */
function patterns(): SVGDefsElement {
  return svg(
    'defs',
    {},
    svg(
      'pattern',
      { id: 'hatch', width: 0.1, height: 0.1, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      svg('line', { x1: 0, y1: 0, x2: 0, y2: 0.1, class: 'hatch-line' }),
    ),
  );
}

function insideMark({ nodes }: PageMachine, node: number): SVGCircleElement {
  const { x, y } = nodes[node];
  return svg('circle', { class: 'inside', cx: x, cy: y, r: drawingSizes.node + 0.2 });
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function extent(values: readonly number[]): number {
  return most(values) - least(values);
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), 0);
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0);
}
