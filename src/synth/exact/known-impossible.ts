/**
 * Shapes that have been proved impossible. What is impossible is so with more chunks (drop one of a solution's), with fewer rounds
 * (leave one empty) and with fewer steps (cut a step of several rounds in two).
 */
import { type Shape, shapeName } from './instance.ts';

export class KnownImpossible {
  private readonly shapes: { readonly shape: Shape; readonly proof: string }[] = [];

  add(shape: Shape, proof: string): void {
    this.shapes.push({ shape, proof });
  }

  /** The proof that a shape is impossible, if one is known. */
  proofFor({ chunks, steps, rounds }: Shape): string | undefined {
    for (const { shape, proof } of this.shapes) {
      if (chunks < shape.chunks || steps > shape.steps || rounds > shape.rounds) continue;
      const same = chunks === shape.chunks && steps === shape.steps && rounds === shape.rounds;
      return same ? proof : `${shapeName(shape)} is impossible: ${proof}`;
    }
    return undefined;
  }
}
