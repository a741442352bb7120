/** Reads XML element by element, with the place of each, or as a tree. */
import { SaxesParser } from 'saxes';
import { CccError, type ErrorCode, type SourceRange, type SourceText } from '../ir/diagnostic.ts';
import type { Bytes } from '../ir/units.ts';
import { readable } from './limits.ts';
import { nearestNames } from './nearest.ts';

const mostInt32 = 2 ** 31 - 1;
const mostInt64 = 2n ** 63n - 1n;

/** An element's opening tag with its attributes. */
export class XmlElement {
  readonly name: string;
  /** The place of the opening tag, from `<` to `>`. */
  readonly range: SourceRange;
  private readonly attributes: Readonly<Record<string, string>>;
  private readonly code: ErrorCode;

  constructor(name: string, attributes: Readonly<Record<string, string>>, range: SourceRange, code: ErrorCode) {
    this.name = name;
    this.attributes = attributes;
    this.range = range;
    this.code = code;
  }

  has(attribute: string): boolean {
    return this.attributes[attribute] !== undefined;
  }

  /** @throws CccError where it is missing */
  text(attribute: string): string {
    const text = this.attributes[attribute];
    if (text === undefined) throw new CccError(this.code, `<${this.name}> needs '${attribute}'`, this.range);
    return text;
  }

  /** Undefined where it is missing. */
  optional(attribute: string): string | undefined {
    return this.attributes[attribute];
  }

  /** @throws CccError where it is missing or not one of the words */
  word<Word extends string>(attribute: string, words: readonly Word[], what: string): Word {
    const text = this.text(attribute);
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw this.malformed(attribute, `'${text}' is not ${what}; ${nearestNames(text, words)}`);
  }

  /** @throws CccError where it is missing or not a whole number from `least` to `most` */
  integer(attribute: string, least: number, most = mostInt32): number {
    const text = this.text(attribute);
    const value = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range = most === mostInt32 ? `of at least ${least}` : `from ${least} to ${most}`;
    throw this.malformed(attribute, `expected a whole number ${range}, found '${text}'`);
  }

  /** @throws CccError 'malformed' where it is missing or no amount of bytes as runtimes read it, in 64 bits */
  size(attribute: string): Bytes {
    const text = this.text(attribute);
    if (/^\d{1,19}$/.test(text) && BigInt(text) <= mostInt64) return Number(text);
    throw this.malformed(attribute, `expected a number of bytes from 0 to 2**63 - 1, found '${text}'`);
  }

  /** An error about the value of an attribute. */
  malformed(attribute: string, message: string): CccError {
    return new CccError(this.code, `${attribute}: ${message}`, this.rangeOf(attribute));
  }

  /** The place of an attribute's value, without quotes. It is searched for only when an error is reported. */
  private rangeOf(attribute: string): SourceRange {
    const { source, start, end } = this.range;
    const tag = source.text.slice(start, end);
    const match = new RegExp(`\\s${attribute}\\s*=\\s*(["'])`).exec(tag);
    if (match === null) return this.range;
    const first = match.index + match[0].length;
    const last = tag.indexOf(match[1], first);
    return { source, start: start + first, end: start + (last === -1 ? tag.length : last) };
  }
}

/** An element of a document that was read as a tree. */
export interface XmlNode {
  readonly element: XmlElement;
  readonly children: readonly XmlNode[];
}

/** Callbacks for each element as it is read. An error that they throw ends the reading. */
export interface XmlVisitor {
  open(element: XmlElement): void;
  close(name: string): void;
}

/**
 * Reads a whole document. Entities are the five that XML has: a document cannot define others.
 * @param code the error code for documents that are XML, but have text between elements
 * @throws CccError 'syntax' for text that is not XML, that code for text between the elements
 */
export function readXml(source: SourceText, visitor: XmlVisitor, code: ErrorCode = 'malformed'): void {
  const { text } = source;
  const half = text.search(/\p{Surrogate}/u);
  if (half !== -1) {
    // The parser relies on whole characters; files always have them, texts in memory may not.
    throw new CccError('syntax', 'this is not XML: half a character', { source, start: half, end: half + 1 });
  }
  const parser = new SaxesParser({ xmlns: false, position: false } as const);
  const here = (): SourceRange => ({ source, start: Math.max(0, parser.position - 1), end: parser.position });
  parser.on('error', (error) => {
    throw new CccError('syntax', `this is not XML: ${error.message}`, here());
  });
  parser.on('text', (words) => {
    if (words.trim() !== '') {
      throw new CccError(code, `expected elements only, found the text '${words.trim().slice(0, 20)}'`, here());
    }
  });
  parser.on('opentag', ({ name, attributes }) => {
    // A value cannot contain '<', so the nearest one is where this tag starts.
    const start = text.lastIndexOf('<', parser.position - 1);
    visitor.open(new XmlElement(name, attributes, { source, start, end: parser.position }, code));
  });
  parser.on('closetag', ({ name }) => visitor.close(name));
  parser.write(text).close();
}

/**
 * Reads a small document as a tree.
 * @param check called with the outermost element before its content is read; may throw to refuse the document
 * @throws CccError as `readXml` with 'schema', and 'limit' for one that is nested too deeply
 */
export function readXmlTree(source: SourceText, check: (root: XmlElement) => void): XmlNode {
  const open: { readonly element: XmlElement; readonly children: XmlNode[] }[] = [];
  let root: XmlNode | undefined;
  const visitor: XmlVisitor = {
    open(element) {
      const node = { element, children: [] };
      if (root === undefined) {
        check(element);
        root = node;
      }
      open.at(-1)?.children.push(node);
      open.push(node);
      if (open.length > readable.depth)
        throw new CccError('limit', `nested more than ${readable.depth} levels deep`, element.range);
    },
    close() {
      open.pop();
    },
  };
  readXml(source, visitor, 'schema');
  if (root === undefined) throw new CccError('syntax', 'this is not XML: there is no element');
  return root;
}
