/** The page's own words in each language. Texts of files, findings and certificates stay as they are. */
import { chinese } from './chinese.ts';
import { english, type Words } from './english.ts';
import type { Language } from './state.ts';

const all: Readonly<Record<Language, Words>> = { en: english, zh: chinese };

export function wordsOf(language: Language): Words {
  return all[language];
}

/** The text with each `{name}` replaced. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
