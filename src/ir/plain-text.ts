/**
 * Text from files and arguments (names, notes) that is only to be shown. Some characters act instead: control characters move cursors
 * and end lines, half characters break encodings, and marks of writing direction make code read otherwise than it runs ("Trojan
 * Source", Boucher and Anderson 2021). Whatever prints or emits such text takes it through here.
 */

const acting = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const actingInLines = /[^\P{Cc}\n\t]|[\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** What `JSON.stringify` leaves as it is; its own line breaks stand between values. */
const actingInJson = /[\x7f-\x9f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const replacement = '\ufffd';

/** The text on one line, with a mark for each character that would act. */
export function oneLine(text: string): string {
  return text.replace(acting, replacement);
}

/** Text of several lines: line feeds and tabs stay. */
export function plainLines(text: string): string {
  return text.replace(actingInLines, replacement);
}

/** JSON with the same value, in which no character acts: they are written as escapes. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    actingInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
