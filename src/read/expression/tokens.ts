/** Tokens of the small languages inside YAML scalars: expressions, loops, transfers, slices, links. */
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import { rangeWithin, type YamlScalar } from '../yaml.ts';

export interface Token {
  readonly kind: 'number' | 'name' | 'symbol' | 'end';
  readonly text: string;
  /** Offsets in the scalar's text. */
  readonly start: number;
  readonly end: number;
}

// Longer symbols first, so that `<->` is not `<` and `->`.
const pattern = /\s*(?:(\d+)|([A-Za-z_][A-Za-z_0-9]*)|(<->|\*\*|\/\/|<<|>>|==|!=|<=|>=|->|\.\.|[-+*/%<>&|?:()[\],]))/y;

/** The tokens of one scalar, read one after the other with one to look ahead. */
export class TokenStream {
  readonly scalar: YamlScalar;
  /** The text that is read: that of the scalar, or a replacement of the same length, so that offsets are valid in both. */
  private readonly text: string;
  private ahead: Token;
  /** End of the last token that was taken. */
  private taken = 0;

  constructor(scalar: YamlScalar, text = scalar.text) {
    this.scalar = scalar;
    this.text = text;
    this.ahead = this.scan(0);
  }

  get peek(): Token {
    return this.ahead;
  }

  /** End of the last token that was taken. */
  get lastEnd(): number {
    return this.taken;
  }

  next(): Token {
    const token = this.ahead;
    this.taken = token.end;
    this.ahead = this.scan(token.end);
    return token;
  }

  /** Consumes the next token if it is this symbol or word, and returns whether it did. */
  accept(text: string): boolean {
    if (!this.at(text)) return false;
    this.next();
    return true;
  }

  /** Whether the next token is this symbol or word. */
  at(text: string): boolean {
    return this.ahead.text === text && this.ahead.kind !== 'end';
  }

  /** @throws CccError 'expression' when the next token is another */
  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected(`'${text}'`);
  }

  /** @throws CccError 'expression' if a token is left */
  expectEnd(): void {
    if (this.ahead.kind !== 'end') throw this.unexpected('nothing more');
  }

  /** Returns the error that the next token is not what was expected. */
  unexpected(expected: string): CccError {
    const found = this.ahead.kind === 'end' ? `the end${this.endedByYaml()}` : `'${this.ahead.text}'`;
    return this.error(`expected ${expected}, found ${found}`, this.ahead);
  }

  /** A text without quotes inside `{ … }` or `[ … ]` goes as far as the next comma only. */
  private endedByYaml(): string {
    const { plain, range } = this.scalar;
    const isCut = plain && /^\s*,/.test(range.source.text.slice(range.end));
    return isCut ? " (YAML ends the text at the ','; with ',' in it, it needs quotes)" : '';
  }

  error(message: string, at: { readonly start: number; readonly end: number }): CccError {
    return new CccError('expression', message, this.rangeOf(at.start, at.end));
  }

  rangeOf(start: number, end: number): SourceRange {
    return rangeWithin(this.scalar, start, end);
  }

  private scan(from: number): Token {
    const { text } = this;
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (match === null) return this.endOrError(from);
    const end = pattern.lastIndex;
    const word = match[1] ?? match[2] ?? match[3];
    const start = end - word.length;
    if (match[1] === undefined) return { kind: match[2] === undefined ? 'symbol' : 'name', text: word, start, end };
    if (/[A-Za-z_]|\.\d/y.test(text.slice(end, end + 2))) {
      throw this.error('expected a whole number', { start, end: end + 1 });
    }
    if (!Number.isSafeInteger(Number(word)))
      throw this.error(`${word} is too large: at most 2**53 - 1`, { start, end });
    return { kind: 'number', text: word, start, end };
  }

  private endOrError(from: number): Token {
    const { text } = this;
    let start = from;
    while (start < text.length && text[start].trim() === '') start++;
    if (start === text.length)
      return { kind: 'end', text: '', start: text.trimEnd().length, end: text.trimEnd().length };
    const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
    throw this.error(`expected a number, a name or a symbol such as -> or +, found '${character}'`, {
      start,
      end: start + character.length,
    });
  }
}
