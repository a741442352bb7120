/** The page's words in each language. Texts of files stay as they are, and so do findings, which quote them. */
import { chinese } from './chinese.ts';
import { inChinese } from './chinese-sentences.ts';
import { english, type Words } from './english.ts';
import type { Language } from './state.ts';

const all: Readonly<Record<Language, Words>> = { en: english, zh: chinese };

export function wordsOf(language: Language): Words {
  return all[language];
}

/** A sentence of the page's data in its language, where there is one for it. */
export function said(sentence: string, language: Language): string {
  return language === 'zh' ? (inChinese(sentence) ?? sentence) : sentence;
}

/** Completes a sentence with its full stop. */
export function stopped(sentence: string, language: Language): string {
  return `${said(sentence, language)}${language === 'zh' ? '。' : '.'}`;
}

/** Replaces each `{name}` in a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
