/** Whole-number expressions in YAML texts, and the loops and conditions around statements. */
export { ExpansionBudget } from './budget.ts';
export { type CompiledExpression, compileExpression } from './compile.ts';
export { standardFunctions } from './functions.ts';
export { compileModifiers, type Modifiers, modifierKeys, repeat } from './modifiers.ts';
export { compileRate, compileSeconds, type Quantity } from './quantity.ts';
export { type ExpressionFunction, type Frame, Scope } from './scope.ts';
export { TokenStream } from './tokens.ts';
export { compileLets, compileWhole, type Let, runLets } from './whole.ts';
