/** Reads the parameters of topology files, and the values behind a name such as `ring:8` or `torus:4x4`. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { type CompiledExpression, compileWhole, type Frame, type Scope } from '../expression/index.ts';
import { DocumentFields, flagOf, namedEntries, optionalText, scalarOf } from '../fields.ts';
import { readable } from '../limits.ts';
import type { YamlEntry, YamlNode } from '../yaml.ts';
import { type GridShape, gridChipCount } from './shape.ts';

/** The values of a file's parameters. */
interface Declared {
  readonly name: string;
  readonly key: SourceRange;
  readonly fields: DocumentFields;
  readonly shape: boolean;
  readonly given: string | undefined;
}

export interface Arguments {
  /** The extents of the parameter that is a shape; undefined if none is. */
  readonly shape: GridShape | undefined;
  /** Declares the other parameters in a scope, and puts their values into the frame. */
  declareIn(scope: Scope, frame: Frame): void;
  /** The given values as text behind a name, such as `4,2`; empty if none were given. To be called after `declareIn`. */
  text(frame: Frame, scope: Scope): string;
}

const keys = ['default', 'minimum', 'maximum', 'shape', 'about'];

/** The names and descriptions of the parameters, in order. @throws CccError 'schema' */
export function describeParameters(
  node: YamlNode | undefined,
): readonly { readonly name: string; readonly about: string }[] {
  return parameterEntries(node).map(([name, { value }]) => {
    return { name, about: optionalText(new DocumentFields(value, 'a parameter', keys).get('about')) ?? '' };
  });
}

function parameterEntries(node: YamlNode | undefined): readonly (readonly [string, YamlEntry])[] {
  return node === undefined ? [] : namedEntries(node, 'names with { default, minimum, maximum, about }');
}

/**
 * Matches the texts behind a topology's name with its parameters.
 * @throws CccError 'usage' for too many, 'range' for values out of range, 'limit' for too many chips
 */
export function readArguments(
  node: YamlNode | undefined,
  name: string,
  texts: readonly string[],
  limits: Limits,
): Arguments {
  const declared: readonly Declared[] = parameterEntries(node).map(([parameter, { key, value }], index) => {
    const fields = new DocumentFields(value, 'a parameter', keys);
    return { name: parameter, key, fields, shape: flagOf(fields.get('shape')), given: texts[index] };
  });
  if (texts.length > declared.length) {
    const takes = declared.length === 0 ? 'none' : declared.map((parameter) => parameter.name).join(',');
    throw new CccError('usage', `${name} is given ${texts.length} values (${texts.join(',')}) but takes ${takes}`);
  }
  const shaped = declared.filter((parameter) => parameter.shape);
  if (shaped.length > 1) throw new CccError('schema', 'only one parameter can be a shape', shaped[1].key);
  const shape = shaped.length === 0 ? undefined : shapeOf(shaped[0], name, limits);
  return {
    shape,
    declareIn: (scope, frame) => {
      for (const parameter of declared) if (!parameter.shape) declareNumber(parameter, name, scope, frame);
    },
    text: (frame, scope) => {
      const written = (parameter: Declared) =>
        parameter.shape ? shape?.join('x') : frame[scope.slotOf(parameter.name) ?? -1];
      return declared
        .filter(({ given }) => given !== undefined)
        .map(written)
        .join(',');
    },
  };
}

function shapeOf({ fields, given, name }: Declared, topology: string, limits: Limits): GridShape {
  const standard = given === undefined ? scalarOf(fields.require('default'), 'extents such as 4x4') : undefined;
  const text = given ?? standard?.text ?? '';
  if (!/^\d{1,9}(x\d{1,9})*$/.test(text)) {
    throw new CccError(
      'range',
      `${topology}: '${text}' is no shape; ${name} is written as extents such as 4x4`,
      standard?.range,
    );
  }
  const shape = text.split('x').map(Number);
  if (shape.includes(0))
    throw new CccError(
      'range',
      `${topology}: every extent of ${name} must be at least 1, not ${text}`,
      standard?.range,
    );
  if (shape.length > readable.axes)
    throw new CccError('limit', `${topology}: a shape has at most ${readable.axes} axes`, standard?.range);
  if (gridChipCount(shape) > limits.ranks) {
    throw new CccError(
      'limit',
      `${topology}: ${text} is more chips than the limit ranks = ${limits.ranks}`,
      standard?.range,
    );
  }
  return shape;
}

function declareNumber({ name, key, fields, given }: Declared, topology: string, scope: Scope, frame: Frame): void {
  const bound = (field: string): CompiledExpression | undefined => {
    const node = fields.get(field);
    return node && compileWhole(node, scope);
  };
  const minimum = bound('minimum')?.evaluate(frame);
  const maximum = bound('maximum')?.evaluate(frame);
  const standard = given === undefined ? compileWhole(fields.require('default'), scope) : undefined;
  const value = standard === undefined ? wholeNumber(given ?? '', name, topology) : standard.evaluate(frame);
  if (minimum !== undefined && value < minimum) {
    throw new CccError('range', `${topology}: ${name} must be at least ${minimum}, not ${value}`, standard?.range);
  }
  if (maximum !== undefined && value > maximum) {
    throw new CccError('range', `${topology}: ${name} must be at most ${maximum}, not ${value}`, standard?.range);
  }
  frame[scope.declare(name, key)] = value;
}

function wholeNumber(text: string, name: string, topology: string): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new CccError('range', `${topology}: '${text}' is no whole number; it is the value of ${name}`);
}
