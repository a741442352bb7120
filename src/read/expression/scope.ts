/**
 * Scopes map names to slots of the frame, which holds their values while a file is expanded, and to functions. The slots of an inner scope
 * follow those of the outer one, so that one array holds the values of all.
 */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import { nearestNames } from '../nearest.ts';
import type { ArithmeticResult } from './arithmetic.ts';
import { isReserved } from './syntax.ts';

/** Values of all names in scope, by slot. */
export type Frame = number[];

/** A function of expressions. */
export interface ExpressionFunction {
  readonly least: number;
  readonly most: number;
  apply(args: readonly number[]): ArithmeticResult;
}

interface Variable {
  readonly name: string;
  readonly slot: number;
  readonly loop: boolean;
}

export class Scope {
  readonly functions: ReadonlyMap<string, ExpressionFunction>;
  private readonly outer: Scope | undefined;
  private readonly variables: Variable[] = [];
  private readonly firstSlot: number;

  constructor(functions: ReadonlyMap<string, ExpressionFunction>, outer?: Scope) {
    this.functions = functions;
    this.outer = outer;
    this.firstSlot = outer === undefined ? 0 : outer.firstSlot + outer.variables.length;
  }

  inner(): Scope {
    return new Scope(this.functions, this);
  }

  /**
   * Declares a name and returns its slot.
   * @throws CccError 'expression' if the text cannot be a name or is already declared
   */
  declare(name: string, range: SourceRange | undefined, loop = false): number {
    if (!/^[A-Za-z_][A-Za-z_0-9]*$/.test(name)) {
      throw new CccError('expression', `'${name}' cannot be a name: letters, digits and _, not first a digit`, range);
    }
    if (isReserved(name)) throw new CccError('expression', `'${name}' is a word of the language, not a name`, range);
    if (this.slotOf(name) !== undefined) throw new CccError('expression', `the name '${name}' is taken`, range);
    const slot = this.firstSlot + this.variables.length;
    this.variables.push({ name, slot, loop });
    return slot;
  }

  slotOf(name: string): number | undefined {
    const own = this.variables.find((variable) => variable.name === name);
    return own?.slot ?? this.outer?.slotOf(name);
  }

  /** @throws CccError 'expression' when nothing has that name, with the nearest that are known */
  resolve(name: string, range: SourceRange): number {
    const slot = this.slotOf(name);
    if (slot !== undefined) return slot;
    throw new CccError('expression', `unknown name '${name}'; ${nearestNames(name, this.names())}`, range);
  }

  /** All names in scope, outermost first. */
  names(): readonly string[] {
    return [...(this.outer?.names() ?? []), ...this.variables.map(({ name }) => name)];
  }

  /** The values of the loop variables for a message: ` (with s = 2, r = 3)`, or nothing outside loops. */
  loopValues(frame: Frame): string {
    return valuesText(this.loopNames(), this, frame);
  }

  private loopNames(): readonly string[] {
    const own = this.variables.filter(({ loop }) => loop).map(({ name }) => name);
    return [...(this.outer?.loopNames() ?? []), ...own];
  }
}

/** ` (with r = 3, N = 4)`, or nothing for no names. */
export function valuesText(names: readonly string[], scope: Scope, frame: Frame): string {
  const values = names.flatMap((name) => {
    const slot = scope.slotOf(name);
    return slot === undefined ? [] : [`${name} = ${frame[slot]}`];
  });
  return values.length === 0 ? '' : ` (with ${values.join(', ')})`;
}
