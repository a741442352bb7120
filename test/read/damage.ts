/** Files as they should not be: cut off, with other characters, numbers, words and lines, nested and referring to themselves without end. */
import type { Random } from '../../src/ir/random.ts';

const tokens: readonly string[] = [
  ...[
    '[',
    ']',
    '{',
    '}',
    ':',
    ',',
    '-',
    '"',
    "'",
    '<',
    '>',
    '/>',
    '<!--',
    ']]>',
    '#',
    '|',
    '\n',
    '\t',
    '\r',
    ' ',
    '\0',
  ],
  ...['0', '-1', '-0', '0.5', '1e999', '-1e999', '99999999999', '9007199254740993', '1e-320', 'NaN', 'Infinity'],
  ...['null', 'true', 'N', '&a', '*a', '&amp;', '&x;', '__proto__', 'constructor', '\ud800', '\u202e', '1 GB/s', 'inf'],
];

/** What a text is made of, where one thing can stand for another. */
const words = /[A-Za-z_][\w-]*|\d+(?:\.\d+)?|"[^"\n]*"/g;

/** So many changes of all kinds, one after the other. */
export function damaged(text: string, random: Random): string {
  let result = text;
  for (let changes = 1 + random.below(3); changes > 0; changes--) result = changed(result, random);
  return result;
}

function changed(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const length = 1 + random.below(12);
  const token = tokens[random.below(tokens.length)];
  switch (random.below(9)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(at + length);
    case 2:
      return text.slice(0, at) + token + text.slice(at);
    case 3:
      // A bit of one byte, as a disk or a network would turn it.
      return (
        text.slice(0, at) +
        String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << random.below(8))) +
        text.slice(at + 1)
      );
    case 4:
      return text.slice(0, at) + text.slice(random.below(text.length + 1)).slice(0, length) + text.slice(at);
    case 5:
      return withWord(text, random, () => token);
    case 6: {
      const known = text.match(words) ?? [token];
      return withWord(text, random, () => known[random.below(known.length)]);
    }
    case 7:
      return withWord(text, random, (word) =>
        /^\d/.test(word) ? `${word}${'0'.repeat(random.below(30))}` : word + word,
      );
    default: {
      const lines = text.split('\n');
      const [line] = lines.splice(random.below(lines.length), random.below(2));
      lines.splice(random.below(lines.length + 1), 0, line ?? token);
      return lines.join('\n');
    }
  }
}

function withWord(text: string, random: Random, other: (word: string) => string): string {
  const found = [...text.matchAll(words)];
  if (found.length === 0) return other('');
  const { index, 0: word } = found[random.below(found.length)];
  return text.slice(0, index) + other(word) + text.slice(index + word.length);
}

const deep = 5_000;

/** Texts that nobody wrote by mistake; `text` is one that can be read. */
export function hostile(text: string): readonly string[] {
  const middle = Math.floor(text.length / 2);
  const inside = (bomb: string) => text.slice(0, middle) + bomb + text.slice(middle);
  const first = /^\s*(<[^>]*>|\{|\[|[^\n]*\n)/.exec(text)?.[0] ?? '';
  const nested = ['[', '{"a":', '- ', '<a>', '(', '!', '"', '{a: ', '? '].map((open) => open.repeat(deep));
  const aliases = Array.from(
    { length: 30 },
    (_, at) => `a${at}: &a${at} [${`*a${at - 1}, `.repeat(at === 0 ? 0 : 9)}1]`,
  );
  const entities = Array.from(
    { length: 30 },
    (_, at) => `<!ENTITY e${at} "${`&e${at - 1};`.repeat(at === 0 ? 0 : 9)}x">`,
  );
  const external = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>';
  return [
    ...[
      '',
      '\0',
      '\ufeff',
      '\ufeff'.repeat(2) + text,
      `${text}\n${text}`,
      text.replaceAll('\n', '\r\n'),
      text.repeat(50),
    ],
    ...nested.flatMap((bomb) => [bomb, first + bomb, inside(bomb)]),
    ...[aliases.join('\n'), `${aliases.join('\n')}\n${text}`, `a: &a [*a]\n${text}`, `<<: *a\n${text}`],
    ...[`<!DOCTYPE a [${entities.join('')}]>\n<a>&e29;</a>`, `<!DOCTYPE a [${entities.join('')}]>\n${text}`],
    ...[
      external + text,
      `<?xml version="1.0"?>${external}${text.replace('"', '"&x;')}`,
      `<!--${text}`,
      `<![CDATA[${text}`,
    ],
    text.replace(/\d+/g, '99999999999999999999'),
    text.replace(/\d+/g, '-1'),
    text.replace(/\d+/g, '1e999'),
    text.replace(/\d+/g, '4294967296'),
    text.replace(/[A-Za-z_][\w-]*/g, '__proto__'),
    text.replace(/"/g, "'"),
  ];
}
