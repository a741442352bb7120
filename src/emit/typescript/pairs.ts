/** Pairs of a value and an index, stored as elements of one array and accessed through two other arrays on the same memory. */
import { dtypeBytes, type PairDtype, pairParts } from '../../ir/dtype.ts';
import { elementTypeOf } from './element-type.ts';

/** The class of the array of values, the expression for the element that holds the value of pair `i`, and likewise for the array of i32 indices. */
interface Parts {
  readonly values: string;
  readonly valueAt: (i: string) => string;
  readonly indexAt: (i: string) => string;
  readonly lengths: readonly [values: string, indices: string];
}

function partsIn(dtype: PairDtype): Parts {
  const { value, indexAt } = pairParts[dtype];
  const [values, words] = [dtypeBytes[dtype] / dtypeBytes[value], dtypeBytes[dtype] / dtypeBytes.i32];
  return {
    values: elementTypeOf(value)?.array ?? '',
    valueAt: (i) => `${values} * ${i}`,
    indexAt: (i) => `${words} * ${i} + ${indexAt / dtypeBytes.i32}`,
    lengths: [`${values} * length`, `${words} * length`],
  };
}

/** The function `partsOf`, which returns the arrays of values and indices of pairs. */
export function pairPartsText(dtype: PairDtype): string {
  const { values, lengths } = partsIn(dtype);
  return `/** A pair is ${dtypeBytes[dtype]} bytes: its value first, its index in the last four. */
function partsOf({ buffer, byteOffset, length }: Elements): readonly [${values}, Int32Array] {
  return [new ${values}(buffer, byteOffset, ${lengths[0]}), new Int32Array(buffer, byteOffset, ${lengths[1]})];
}`;
}

/** The statements that store the better of `left[i]` and `right[i]` to `target[i]`, for all i. NaN is better than every number. */
export function pairChoiceText(op: 'minloc' | 'maxloc', dtype: PairDtype): string {
  const { values, valueAt, indexAt } = partsIn(dtype);
  const isFloat = values.startsWith('Float');
  const better = `a ${op === 'minloc' ? '<' : '>'} b${isFloat ? ' || (Number.isNaN(a) && !Number.isNaN(b))' : ''}`;
  const tie = isFloat ? '(a === b || (Number.isNaN(a) && Number.isNaN(b)))' : 'a === b';
  return `  const [leftValues, leftIndices] = partsOf(left);
  const [rightValues, rightIndices] = partsOf(right);
  for (let i = 0; i < target.length; i++) {
    const [a, b] = [leftValues[${valueAt('i')}], rightValues[${valueAt('i')}]];
    const isEarlier = leftIndices[${indexAt('i')}] < rightIndices[${indexAt('i')}];
    target[i] = ${better} || (${tie} && isEarlier) ? left[i] : right[i];
  }
`;
}

/** The statements that fill `input` with few different values, so that indices decide. `hash` is an expression of `index`. */
export function pairInputText(dtype: PairDtype, hash: string): string {
  const { valueAt, indexAt } = partsIn(dtype);
  return `  const [values, indices] = partsOf(input);
  for (let index = 0; index < length; index++) {
    const hash = ${hash};
    values[${valueAt('index')}] = hash >>> 30;
    indices[${indexAt('index')}] = hash & 0xffff;
  }
`;
}
