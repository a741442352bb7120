/** Models as text for other solvers: CPLEX's LP format, and free MPS. Columns are x0, x1 …, rows r0, r1 …: short names, short files. */
import type { LinearModel } from './model.ts';

/** Terms on one line of an LP file; readers have limits on the length of lines. */
const termsPerLine = 12;

/** The model as an LP file. */
export function* lpText(model: LinearModel): Iterable<string> {
  yield '\\ written by ccc\nMinimize\n cost:';
  const costs = indices(model.columns).filter((c) => model.cost[c] !== 0);
  // An objective of nothing is one column that costs nothing: some readers want at least one term.
  yield* terms(costs.length === 0 ? [[0, 0]] : costs.map((c) => [model.cost[c], c]));
  yield 'Subject To\n';
  for (let row = 0; row < model.rows; row++) yield* lpRow(model, row);
  yield 'Bounds\n';
  for (let c = 0; c < model.columns; c++) yield ` ${lpBounds(`x${c}`, model.lower[c], model.upper[c])}\n`;
  const whole = indices(model.columns).filter((c) => model.whole[c] === 1);
  if (whole.length > 0) {
    yield 'General\n';
    for (let i = 0; i < whole.length; i += termsPerLine) {
      yield ` ${whole
        .slice(i, i + termsPerLine)
        .map((c) => `x${c}`)
        .join(' ')}\n`;
    }
  }
  yield 'End\n';
}

/** A row; one that is bounded on both sides becomes two. */
function* lpRow(model: LinearModel, row: number): Iterable<string> {
  const [lower, upper] = [model.rowLower[row], model.rowUpper[row]];
  const body = indices(model.rowStart[row + 1] - model.rowStart[row]).map((i): [number, number] => {
    const at = model.rowStart[row] + i;
    return [model.value[at], model.column[at]];
  });
  const sides: [string, string, number][] = [];
  if (lower === upper) sides.push(['', '=', lower]);
  else {
    if (Number.isFinite(lower)) sides.push(['l', '>=', lower]);
    if (Number.isFinite(upper)) sides.push(['u', '<=', upper]);
  }
  for (const [suffix, relation, bound] of sides) {
    yield ` r${row}${suffix}:`;
    yield* terms(body);
    yield `  ${relation} ${bound}\n`;
  }
}

function* terms(list: readonly (readonly [number, number])[]): Iterable<string> {
  for (let i = 0; i < list.length; i += termsPerLine) {
    const line = list.slice(i, i + termsPerLine);
    yield `${line.map(([value, column]) => ` ${value < 0 ? '-' : '+'} ${Math.abs(value)} x${column}`).join('')}\n`;
  }
}

function lpBounds(name: string, lower: number, upper: number): string {
  if (!Number.isFinite(lower) && !Number.isFinite(upper)) return `${name} free`;
  const low = Number.isFinite(lower) ? String(lower) : '-inf';
  return Number.isFinite(upper) ? `${low} <= ${name} <= ${upper}` : `${name} >= ${low}`;
}

/** The model as a free MPS file. */
export function* mpsText(model: LinearModel): Iterable<string> {
  yield 'NAME ccc\nROWS\n N cost\n';
  for (let row = 0; row < model.rows; row++) yield ` ${rowType(model, row)} r${row}\n`;
  yield 'COLUMNS\n';
  yield* mpsColumns(model);
  yield 'RHS\n';
  for (let row = 0; row < model.rows; row++) {
    const [lower, upper] = [model.rowLower[row], model.rowUpper[row]];
    const side = Number.isFinite(upper) ? upper : lower;
    if (Number.isFinite(side) && side !== 0) yield ` RHS r${row} ${side}\n`;
  }
  yield 'RANGES\n';
  for (let row = 0; row < model.rows; row++) {
    const [lower, upper] = [model.rowLower[row], model.rowUpper[row]];
    if (lower !== upper && Number.isFinite(lower) && Number.isFinite(upper)) yield ` RNG r${row} ${upper - lower}\n`;
  }
  yield 'BOUNDS\n';
  for (let c = 0; c < model.columns; c++) yield* mpsBounds(c, model.lower[c], model.upper[c]);
  yield 'ENDATA\n';
}

function rowType({ rowLower, rowUpper }: LinearModel, row: number): string {
  if (rowLower[row] === rowUpper[row]) return 'E';
  if (Number.isFinite(rowUpper[row])) return 'L';
  return Number.isFinite(rowLower[row]) ? 'G' : 'N';
}

/** The coefficients column by column, whole columns between markers. */
function* mpsColumns(model: LinearModel): Iterable<string> {
  const entries: string[][] = Array.from({ length: model.columns }, () => []);
  for (let row = 0; row < model.rows; row++) {
    for (let i = model.rowStart[row]; i < model.rowStart[row + 1]; i++) {
      entries[model.column[i]].push(` x${model.column[i]} r${row} ${model.value[i]}\n`);
    }
  }
  let markers = 0;
  let inWhole = false;
  for (let c = 0; c < model.columns; c++) {
    if ((model.whole[c] === 1) !== inWhole) {
      inWhole = !inWhole;
      yield ` M${markers++} 'MARKER' '${inWhole ? 'INTORG' : 'INTEND'}'\n`;
    }
    yield ` x${c} cost ${model.cost[c]}\n`;
    yield* entries[c];
  }
  if (inWhole) yield ` M${markers} 'MARKER' 'INTEND'\n`;
}

function* mpsBounds(column: number, lower: number, upper: number): Iterable<string> {
  if (lower === upper) {
    yield ` FX BND x${column} ${lower}\n`;
    return;
  }
  if (!Number.isFinite(lower) && !Number.isFinite(upper)) {
    yield ` FR BND x${column}\n`;
    return;
  }
  yield Number.isFinite(lower) ? ` LO BND x${column} ${lower}\n` : ` MI BND x${column}\n`;
  yield Number.isFinite(upper) ? ` UP BND x${column} ${upper}\n` : ` PL BND x${column}\n`;
}

function indices(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
