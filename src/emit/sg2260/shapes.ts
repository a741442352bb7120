/**
 * Combines byte ranges at both ends of a transfer to regular patterns: as few as possible that cover the same bytes in the same order at either end.
 */
import type { Bytes } from '../../ir/units.ts';
import type { ByteRun, Region } from './addresses.ts';

/** A strided pattern: `rows` ranges of `bytes` bytes each, which begin `stride` bytes apart. */
export interface Rows {
  readonly region: Region;
  readonly offset: Bytes;
  readonly rows: number;
  readonly bytes: Bytes;
  readonly stride: Bytes;
}

export interface RowsMove {
  readonly from: Rows;
  readonly to: Rows;
}

/** @param from the source ranges; `to` has as many ranges of the same lengths */
export function rowMovesOf(from: readonly ByteRun[], to: readonly ByteRun[]): readonly RowsMove[] {
  const joined: (readonly [ByteRun, ByteRun])[] = [];
  from.forEach((run, i) => {
    const last = joined[joined.length - 1];
    if (last !== undefined && follows(last[0], run) && follows(last[1], to[i])) {
      joined[joined.length - 1] = [longer(last[0], run.bytes), longer(last[1], run.bytes)];
    } else joined.push([run, to[i]]);
  });
  const moves: RowsMove[] = [];
  for (const [source, target] of joined) {
    const last = moves[moves.length - 1];
    const [more, other] = last === undefined ? [] : [withRow(last.from, source), withRow(last.to, target)];
    if (more !== undefined && other !== undefined) moves[moves.length - 1] = { from: more, to: other };
    else moves.push({ from: oneRow(source), to: oneRow(target) });
  }
  return moves;
}

function follows(run: ByteRun, next: ByteRun): boolean {
  return run.region === next.region && run.offset + run.bytes === next.offset;
}

function longer(run: ByteRun, bytes: Bytes): ByteRun {
  return { ...run, bytes: run.bytes + bytes };
}

function oneRow({ region, offset, bytes }: ByteRun): Rows {
  return { region, offset, rows: 1, bytes, stride: bytes };
}

/** The pattern extended by one range, if that has the same length and stride. */
function withRow({ region, offset, rows, bytes, stride }: Rows, run: ByteRun): Rows | undefined {
  const ahead = run.offset - (offset + (rows - 1) * stride);
  if (run.region !== region || run.bytes !== bytes || ahead < bytes || (rows > 1 && ahead !== stride)) return undefined;
  return { region, offset, rows: rows + 1, bytes, stride: ahead };
}
