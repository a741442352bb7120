/** Which column of a model stands for what, so that columns can be followed when the machine is renumbered. */
import type { Instance } from '../instance.ts';
import type { Renumbering } from '../symmetry.ts';

/** How much of an item goes over a way (`place`) in a step, or how much of it a rank has after the step, or has made of parts. */
export interface Meaning {
  readonly what: 'sent' | 'held' | 'made';
  readonly item: number;
  readonly place: number;
  readonly step: number;
}

const whats: readonly Meaning['what'][] = ['sent', 'held', 'made'];

/** The columns of a model that are about an item; the others, such as the rounds of the steps, stay what they are. */
export class ModelColumns {
  private readonly meanings = new Map<number, Meaning>();
  private readonly columnOf = new Map<number, number>();
  private readonly steps: number;
  private readonly places: number;

  constructor({ machine, steps }: Instance) {
    this.steps = steps;
    this.places = Math.max(machine.ranks, machine.ways.length);
  }

  set(column: number, meaning: Meaning): void {
    this.meanings.set(column, meaning);
    this.columnOf.set(this.keyOf(meaning), column);
  }

  get(meaning: Meaning): number | undefined {
    return this.columnOf.get(this.keyOf(meaning));
  }

  /** The columns of a kind, in the order in which they were set. */
  *of(kind: Meaning['what']): Iterable<Meaning & { readonly column: number }> {
    for (const [column, meaning] of this.meanings) if (meaning.what === kind) yield { column, ...meaning };
  }

  /**
   * Where columns go when the machine is renumbered; undefined if some go nowhere.
   * @param columns of the whole model
   * @param itemImage where items go with the ranks
   */
  images(columns: number, { ranks, ways }: Renumbering, itemImage: (item: number) => number): Int32Array | undefined {
    const images = Int32Array.from({ length: columns }, (_, column) => column);
    for (const [column, { what, item, place, step }] of this.meanings) {
      const placeImage = what === 'sent' ? ways[place] : ranks[place];
      const image = this.get({ what, item: itemImage(item), place: placeImage, step });
      if (image === undefined) return undefined;
      images[column] = image;
    }
    return images;
  }

  private keyOf({ what, item, place, step }: Meaning): number {
    return 3 * ((item * this.places + place) * this.steps + step) + whats.indexOf(what);
  }
}
