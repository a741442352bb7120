/** Models as text for other solvers, in CPLEX's LP format and in free MPS. Columns are called x0, x1 …, rows r0, r1 …, to keep files small. */
import type { LinearModel } from './model.ts';

/** Terms on one line of an LP file: some readers limit the length of lines. */
const termsPerLine = 12;

type Term = readonly [value: number, column: number];

function termsOf({ rowStart, value, column }: LinearModel, row: number): Term[] {
  return [...value.subarray(rowStart[row], rowStart[row + 1])].map((each, i) => [each, column[rowStart[row] + i]]);
}

/** The model as an LP file. */
export function* lpText(model: LinearModel): Iterable<string> {
  const columns = [...model.cost.keys()];
  yield '\\ written by ccc\nMinimize\n cost:';
  const costs = columns.filter((c) => model.cost[c] !== 0).map((c): Term => [model.cost[c], c]);
  // Some readers require at least one term in the objective: an empty one is written as a column with the coefficient 0.
  yield* terms(costs.length === 0 ? [[0, 0]] : costs);
  yield 'Subject To\n';
  for (let row = 0; row < model.rows; row++) yield* lpRow(model, row);
  yield 'Bounds\n';
  for (const c of columns) yield ` ${lpBounds(`x${c}`, model.lower[c], model.upper[c])}\n`;
  const whole = columns.filter((c) => model.whole[c] === 1).map((c) => `x${c}`);
  if (whole.length > 0) yield 'General\n';
  for (const line of inLines(whole)) yield ` ${line.join(' ')}\n`;
  yield 'End\n';
}

/** A row in LP format. A row with two different finite bounds becomes two rows, since the format has no ranges. */
function* lpRow(model: LinearModel, row: number): Iterable<string> {
  const [lower, upper] = [model.rowLower[row], model.rowUpper[row]];
  const sides: [string, string, number][] = [];
  if (lower === upper) sides.push(['', '=', lower]);
  else {
    if (Number.isFinite(lower)) sides.push(['l', '>=', lower]);
    if (Number.isFinite(upper)) sides.push(['u', '<=', upper]);
  }
  for (const [suffix, relation, bound] of sides) {
    yield ` r${row}${suffix}:`;
    yield* terms(termsOf(model, row));
    yield `  ${relation} ${bound}\n`;
  }
}

function* terms(list: readonly Term[]): Iterable<string> {
  for (const line of inLines(list)) {
    yield `${line.map(([value, column]) => ` ${value < 0 ? '-' : '+'} ${Math.abs(value)} x${column}`).join('')}\n`;
  }
}

function inLines<Entry>(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const lines = Math.ceil(entries.length / termsPerLine);
  return Array.from({ length: lines }, (_, line) => entries.slice(line * termsPerLine, (line + 1) * termsPerLine));
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
  for (let c = 0; c < model.columns; c++) yield mpsBounds(c, model.lower[c], model.upper[c]);
  yield 'ENDATA\n';
}

function rowType({ rowLower, rowUpper }: LinearModel, row: number): string {
  if (rowLower[row] === rowUpper[row]) return 'E';
  if (Number.isFinite(rowUpper[row])) return 'L';
  return Number.isFinite(rowLower[row]) ? 'G' : 'N';
}

/** The COLUMNS section: coefficients column by column, with whole columns between INTORG and INTEND markers. */
function* mpsColumns(model: LinearModel): Iterable<string> {
  const entries: string[][] = Array.from({ length: model.columns }, () => []);
  for (let row = 0; row < model.rows; row++) {
    for (const [value, c] of termsOf(model, row)) entries[c].push(` x${c} r${row} ${value}\n`);
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

function mpsBounds(column: number, lower: number, upper: number): string {
  const bound = (type: string, ...value: number[]): string => ` ${[type, 'BND', `x${column}`, ...value].join(' ')}\n`;
  if (lower === upper) return bound('FX', lower);
  if (!Number.isFinite(lower) && !Number.isFinite(upper)) return bound('FR');
  const low = Number.isFinite(lower) ? bound('LO', lower) : bound('MI');
  return low + (Number.isFinite(upper) ? bound('UP', upper) : bound('PL'));
}
