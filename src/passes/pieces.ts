/** Cutting and joining the pieces of a message. */
import type { Piece } from '../ir/schedule.ts';

/** Part of a piece. */
export function cutPiece(piece: Piece, start: number, count: number): Piece {
  return { ...piece, fromOffset: piece.fromOffset + start, toOffset: piece.toOffset + start, count };
}

/** Joins consecutive pieces that are contiguous at both ends. */
export function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const follows =
      last !== undefined &&
      last.from === piece.from &&
      last.to === piece.to &&
      last.fromOffset + last.count === piece.fromOffset &&
      last.toOffset + last.count === piece.toOffset;
    if (follows) joined[joined.length - 1] = { ...last, count: last.count + piece.count };
    else joined.push(piece);
  }
  return joined;
}

/** Partitions the chunks of pieces by a predicate, and joins each part to pieces in the same order. `index` is the index of the piece. */
export function partition(
  pieces: readonly Piece[],
  test: (piece: Piece, chunk: number, index: number) => boolean,
): { readonly passed: Piece[]; readonly failed: Piece[] } {
  const passed: Piece[] = [];
  const failed: Piece[] = [];
  pieces.forEach((piece, index) => {
    for (let start = 0; start < piece.count; ) {
      const result = test(piece, start, index);
      let end = start + 1;
      while (end < piece.count && test(piece, end, index) === result) end++;
      (result ? passed : failed).push(cutPiece(piece, start, end - start));
      start = end;
    }
  });
  return { passed, failed };
}
