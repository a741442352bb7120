/**
 * Reads JSON with a cursor: the caller requests the value that it expects next. Large plans become tables without a tree in between, and every
 * error has its place in the file.
 */
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import { nearestNames } from '../nearest.ts';

const whitespace = /[ \t\n\r]*/y;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const wordPattern = /[A-Za-z]+/y;
/** Matches characters of a JSON string that need care: escapes, and control characters, which JSON forbids. */
const special = /[\\\p{Cc}]/u;

const leastInt32 = -(2 ** 31);
const mostInt32 = 2 ** 31 - 1;

/** The kind of value that starts with a character, in the words of a message. */
const kindsByStart: Readonly<Record<string, string>> = {
  '{': 'an object',
  '[': 'a list',
  '"': 'a text',
  t: 'true',
  f: 'false',
  n: 'null',
};

export class JsonReader {
  private readonly source: SourceText;
  private at = 0;

  constructor(source: SourceText) {
    this.source = source;
    // A byte-order mark is not part of the document.
    if (source.text.startsWith('\ufeff')) this.at = 1;
  }

  /** The offset at which the next value starts. */
  get offset(): number {
    this.skipSpace();
    return this.at;
  }

  /** Skips a value that `revisit` will read later, and returns its offset. */
  postpone(): number {
    const start = this.offset;
    this.passOver();
    return start;
  }

  /** Reads a postponed value, and then resets the cursor to where it is now. */
  revisit(offset: number, read: () => void): void {
    const after = this.at;
    this.at = offset;
    read();
    this.at = after;
  }

  /**
   * Calls `member` for every member of an object; it must read or skip the value.
   * @throws CccError 'malformed' when the next value is no object or has a key twice
   */
  object(what: string, member: (key: string) => void): void {
    this.open('{', `${what} (an object)`);
    const seen = new Set<string>();
    this.elements('}', () => {
      const start = this.offset;
      const key = this.rawString('a key');
      if (seen.has(key)) throw this.malformed(`the key '${key}' is there twice`, start);
      seen.add(key);
      this.skipSpace();
      if (this.source.text[this.at] !== ':') this.syntax("':'");
      this.at++;
      member(key);
    });
  }

  /**
   * Calls `element` for every element of a list; it must read or skip it.
   * @throws CccError 'malformed' when the next value is no list
   */
  list(what: string, element: (index: number) => void): void {
    this.open('[', `${what} (a list)`);
    let index = 0;
    this.elements(']', () => element(index++));
  }

  /** @throws CccError 'malformed' when the next value is no text */
  string(what: string): string {
    if (this.start() !== '"') this.unexpected(what);
    return this.rawString('a text');
  }

  /** Reads a string that is one of the words. */
  word<Word extends string>(what: string, words: readonly Word[]): Word {
    const start = this.offset;
    const text = this.string(what);
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw this.malformed(`'${text}' is not ${what}; ${nearestNames(text, words)}`, start);
  }

  /** @throws CccError 'malformed' when the next value is not a whole number from `least` to `most`, by default of 32 bits */
  integer(what: string, least = leastInt32, most = mostInt32): number {
    const start = this.offset;
    if (!/[-\d]/.test(this.start())) this.unexpected(what);
    const text = this.match(numberPattern, 'a number');
    const value = Number(text);
    if (!Number.isInteger(value)) throw this.malformed(`expected ${what}, a whole number, found ${text}`, start);
    if (value < least) throw this.malformed(`expected ${what} of at least ${least}, found ${text}`, start);
    if (value > most) {
      const limit = most === mostInt32 ? '2**31 - 1' : most;
      throw this.malformed(`expected ${what} of at most ${limit}, found ${text}`, start);
    }
    return value + 0;
  }

  /** @throws CccError 'malformed' when the next value is not a finite number of at least `least` */
  number(what: string, least: number): number {
    const start = this.offset;
    if (!/[-\d]/.test(this.start())) this.unexpected(what);
    const text = this.match(numberPattern, 'a number');
    const value = Number(text);
    if (!Number.isFinite(value)) throw this.malformed(`expected ${what}, found ${text}, which is too large`, start);
    if (value < least) throw this.malformed(`expected ${what} of at least ${least}, found ${text}`, start);
    return value;
  }

  /** Whether the next value is a string. */
  isText(): boolean {
    return this.start() === '"';
  }

  boolean(what: string): boolean {
    const start = this.start();
    if (start !== 't' && start !== 'f') this.unexpected(`${what} (true or false)`);
    return this.match(wordPattern, 'true or false', ['true', 'false']) === 'true';
  }

  /** Consumes `null` if it comes next, and returns whether it did. */
  acceptNull(): boolean {
    if (this.start() !== 'n') return false;
    this.match(wordPattern, 'null', ['null']);
    return true;
  }

  /** Reads any value into a JavaScript value. */
  any(): unknown {
    const start = this.offset;
    this.passOver();
    return this.parsed(start);
  }

  /** Skips a value that is not needed, but checks that it is JSON. */
  skip(): void {
    this.any();
  }

  /** Skips a value without checking its content. It counts brackets instead of recursing, so that deep nesting does no harm. */
  private passOver(): void {
    const start = this.start();
    if (start === '"') this.rawString('a text');
    else if (start === '{' || start === '[') this.skipBrackets();
    else if (/[-\d]/.test(start)) this.match(numberPattern, 'a number');
    else this.match(wordPattern, 'a value', ['true', 'false', 'null']);
  }

  /** @throws CccError 'syntax' when anything is left */
  end(): void {
    if (this.start() !== '') this.syntax('the end of the file');
  }

  /** The range from an offset to the cursor. */
  range(start: number): SourceRange {
    return { source: this.source, start, end: Math.max(start, this.at) };
  }

  /** An error about the text between `start` and the cursor. */
  malformed(message: string, start: number): CccError {
    return new CccError('malformed', message, this.range(start));
  }

  private open(bracket: string, expected: string): void {
    if (this.start() !== bracket) this.unexpected(expected);
    this.at++;
  }

  private elements(close: string, element: () => void): void {
    const { text } = this.source;
    if (this.start() === close) {
      this.at++;
      return;
    }
    for (;;) {
      element();
      this.skipSpace();
      const next = text[this.at];
      if (next !== ',' && next !== close) this.syntax(`',' or '${close}'`);
      this.at++;
      if (next === close) return;
    }
  }

  private skipBrackets(): void {
    const { text } = this.source;
    let depth = 0;
    do {
      const character = text[this.at];
      if (character === undefined) this.syntax('a closing bracket');
      if (character === '"') {
        this.rawString('a text');
        continue;
      }
      if (character === '{' || character === '[') depth++;
      else if (character === '}' || character === ']') depth--;
      this.at++;
    } while (depth > 0);
  }

  private rawString(expected: string): string {
    const { text } = this.source;
    const start = this.at;
    if (text[start] !== '"') this.syntax(expected);
    let end = text.indexOf('"', start + 1);
    while (end !== -1 && this.isEscaped(end, start)) end = text.indexOf('"', end + 1);
    if (end === -1) {
      this.at = text.length;
      this.syntax("a closing '\"'");
    }
    this.at = end + 1;
    const content = text.slice(start + 1, end);
    // Keys and buffer names have no escapes: slicing them out is far cheaper than parsing each of them as JSON.
    return special.test(content) ? String(this.parsed(start)) : content;
  }

  /** Whether an odd number of backslashes stands before a quote. */
  private isEscaped(quote: number, start: number): boolean {
    let before = quote - 1;
    while (before > start && this.source.text[before] === '\\') before--;
    return (quote - 1 - before) % 2 === 1;
  }

  /** Parses the value between an offset and the cursor. */
  private parsed(start: number): unknown {
    try {
      return JSON.parse(this.source.text.slice(start, this.at));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new CccError('syntax', `${this.source.name} is not JSON: this value is not valid`, this.range(start));
    }
  }

  private match(pattern: RegExp, expected: string, allowed?: readonly string[]): string {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.source.text)?.[0];
    if (text === undefined || (allowed !== undefined && !allowed.includes(text))) this.syntax(expected);
    this.at += text.length;
    return text;
  }

  /** The first character of the next value; empty at the end of the file. */
  private start(): string {
    this.skipSpace();
    return this.source.text.charAt(this.at);
  }

  private skipSpace(): void {
    const code = this.source.text.charCodeAt(this.at);
    if (code > 32) return;
    whitespace.lastIndex = this.at;
    whitespace.exec(this.source.text);
    this.at = whitespace.lastIndex;
  }

  /** The error for a next value that is JSON of another kind than expected, or not JSON at all. */
  private unexpected(expected: string): never {
    const start = this.offset;
    const first = this.start();
    this.skip();
    const found = kindsByStart[first] ?? this.source.text.slice(start, this.at);
    throw this.malformed(`expected ${expected}, found ${found}`, start);
  }

  private syntax(expected: string): never {
    const character = this.source.text.codePointAt(this.at);
    const found = character === undefined ? 'the end of the file' : `'${String.fromCodePoint(character)}'`;
    const range = { source: this.source, start: this.at, end: Math.min(this.at + 1, this.source.text.length) };
    throw new CccError('syntax', `${this.source.name} is not JSON: expected ${expected}, found ${found}`, range);
  }
}
