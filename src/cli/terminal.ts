/** What is known of the terminal that standard output or error may be, and the colours that help there. */
import { eastAsianWidth } from 'get-east-asian-width';

/** Characters that stand on the one before them, or cannot be seen. */
const withoutWidth = /[\p{Mn}\p{Me}\p{Cf}]/gu;

/**
 * Columns of a terminal that a text takes: two for each character of East Asian scripts and each emoji, none for combining marks. The
 * package string-width would also join emoji of several code points, but loading it takes a quarter of the time of `ccc --version`.
 */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text.replaceAll(withoutWidth, '')) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  return width;
}

/** Columns of a stream; undefined where it is no terminal, or one of unknown width (which says 0). */
export function widthOf({ columns }: { readonly columns?: number | undefined }): number | undefined {
  return columns !== undefined && columns > 0 ? columns : undefined;
}

/** Columns for what is looked at: those of standard output, or behind a pager those of the terminal that standard error is. */
export function widthToRead(): number | undefined {
  return widthOf(process.stdout) ?? widthOf(process.stderr);
}

/** Tables, and lines of files with what points at a place in them: they stay as they are. */
const drawn = /^ *\d* *\|/;

/** The text in lines of at most so many columns where words allow, what is broken two columns further in; samples between ``` stay as they are. */
export function fitted(text: string, width: number): string {
  let isSample = false;
  return text
    .split('\n')
    .map((line) => {
      if (line.trimStart().startsWith('```')) isSample = !isSample;
      return isSample || textWidth(line) <= width || drawn.test(line) ? line : broken(line, width);
    })
    .join('\n');
}

function broken(line: string, width: number): string {
  const [indent] = /^ */.exec(line) ?? [''];
  const lines: string[] = [];
  let last = indent;
  for (const word of line.trimStart().split(' ')) {
    const isFirst = last.trim() === '';
    if (isFirst || textWidth(last) + 1 + textWidth(word) <= width) last += `${isFirst ? '' : ' '}${word}`;
    else {
      lines.push(last);
      last = `${indent}  ${word}`;
    }
  }
  return [...lines, last].join('\n');
}

/**
 * Whether colours are wanted: on terminals that know any, unless NO_COLOR is set (no-color.org); FORCE_COLOR says yes whatever the stream is, and 0 no.
 */
export function hasColours(stream: { readonly isTTY?: boolean | undefined }, environment = process.env): boolean {
  const { FORCE_COLOR: force = '', NO_COLOR: no = '', TERM: term } = environment;
  if (force !== '') return force !== '0' && force !== 'false';
  return no === '' && stream.isTTY === true && term !== 'dumb';
}

const [green, red, bold] = [
  [32, 39],
  [31, 39],
  [1, 22],
] as const;

const verdicts = 'malformed|mismatched|uninitialised|deadlock|race|wrong-result|not-bitwise|over-capacity';
const labels =
  'plan|ring order|time|rate|bound|optimality|moved|critical path|busiest link|pipeline|proved|warning|note|before|improved|after|engines';

/** Words at the start of a line, by their tone. Colours are put in last, when nothing in a text can act any more: names cannot bring their own. */
const tones: readonly (readonly [words: RegExp, tone: readonly [on: number, off: number]])[] = [
  [/^correct(?=: )/gm, green],
  [new RegExp(`^(?:${verdicts})(?=: )`, 'gm'), red],
  [/^ccc(?=: )/gm, red],
  [/(?<=^ *\| *)\^+$/gm, red],
  [new RegExp(`^(?:${labels})(?= {2,})`, 'gm'), bold],
  // Titles of --help.
  [/^[A-Z][A-Za-z ,]*:(?=$| ccc )/gm, bold],
];

/** A text in which nothing acts, with colours. */
export function painted(text: string): string {
  return tones.reduce((result, [words, [on, off]]) => result.replace(words, `\x1b[${on}m$&\x1b[${off}m`), text);
}
