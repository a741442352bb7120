/**
 * Cleans text from files and arguments (names, notes) that is only to be shown. Some characters have effects instead of being shown: control
 * characters move cursors and end lines, unpaired surrogates break encodings, and marks of writing direction make code read otherwise than it runs
 * ("Trojan Source", Boucher and Anderson 2021). Everything that prints or emits such text must pass it through these functions.
 */

const acting = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const actingInLines = /[^\P{Cc}\n\t]|[\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/**
 * The characters with effects that `JSON.stringify` does not escape. Line feeds are not among them: those in its output are its own, between values.
 */
const actingInJson = /[\x7f-\x9f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const replacement = '\ufffd';

/** The text on one line, with a replacement mark for each character that would have an effect. */
export function oneLine(text: string): string {
  return text.replace(acting, replacement);
}

/** As `oneLine` for text of several lines: line feeds and tabs are kept. */
export function plainLines(text: string): string {
  return text.replace(actingInLines, replacement);
}

/** Like `JSON.stringify`, but all characters that would have an effect are written as escapes. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    actingInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
