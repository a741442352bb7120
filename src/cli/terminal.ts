/** Finds out what is known about the terminal behind standard output or error: width and colours. */
import { eastAsianWidth } from 'get-east-asian-width';

/** Characters without a width of their own: combining marks, and invisible ones. */
const withoutWidth = /[\p{Mn}\p{Me}\p{Cf}]/gu;

/**
 * Returns the number of terminal columns of a text: two for each East Asian wide character and each emoji, none for combining marks. The package
 * string-width would also handle emoji of several code points, but loading it takes a quarter of the time of `ccc --version`.
 */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text.replaceAll(withoutWidth, '')) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  return width;
}

/** Returns the columns of a stream; undefined if it is no terminal, or a terminal of unknown width (which reports 0). */
export function widthOf({ columns }: { readonly columns?: number | undefined }): number | undefined {
  return columns !== undefined && columns > 0 ? columns : undefined;
}

/**
 * Returns the columns for text that a user reads: those of standard output or, if it goes to a pager, those of the terminal behind standard error.
 */
export function widthToRead(): number | undefined {
  return widthOf(process.stdout) ?? widthOf(process.stderr);
}

/** Rows of tables, and quoted lines of files with their carets; they must not be broken. */
const drawn = /^ *\d* *\|/;

/**
 * Breaks a text into lines of at most `width` columns where words allow. Continuation lines are indented by two more columns; samples between ``` are
 * not broken.
 */
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
 * Whether to use colours: on terminals that support them, unless NO_COLOR is set (no-color.org). FORCE_COLOR enables them for any stream; 0 disables
 * them.
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

/**
 * Words at the start of a line, and their style. Styles are applied last, after escape sequences have been removed from the text, so that quoted
 * names cannot change them.
 */
const tones: readonly (readonly [words: RegExp, tone: readonly [on: number, off: number]])[] = [
  [/^correct(?=: )/gm, green],
  [new RegExp(`^(?:${verdicts})(?=: )`, 'gm'), red],
  [/^ccc(?=: )/gm, red],
  [/(?<=^ *\| *)\^+$/gm, red],
  [new RegExp(`^(?:${labels})(?= {2,})`, 'gm'), bold],
  // Headings of --help.
  [/^[A-Z][A-Za-z ,]*:(?=$| ccc )/gm, bold],
];

/** Returns the text with escape sequences removed and styles applied. */
export function painted(text: string): string {
  return tones.reduce((result, [words, [on, off]]) => result.replace(words, `\x1b[${on}m$&\x1b[${off}m`), text);
}
