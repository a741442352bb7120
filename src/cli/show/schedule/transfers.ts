/** Writes the messages of one step as textbooks do: as pairs that exchange, as arrows, or as the rule that they follow. */
import type { Steps } from '../../../ir/schedule.ts';
import { textWidth } from '../text.ts';

/** A message: sender, receiver and number of chunks. */
export interface ShownMessage {
  readonly source: number;
  readonly destination: number;
  readonly chunks: number;
}

/** Returns the messages of a step, without local operations. */
export function shownMessagesOf(steps: Steps, step: number): ShownMessage[] {
  const messages: ShownMessage[] = [];
  for (let t = steps.stepStart[step]; t < steps.stepStart[step + 1]; t++) {
    if (steps.source[t] === steps.destination[t]) continue;
    let chunks = 0;
    for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) chunks += steps.count[p];
    messages.push({ source: steps.source[t], destination: steps.destination[t], chunks });
  }
  return messages;
}

/** Returns the ranks with local operations in a step, ascending. */
export function ranksWithLocalOperations(steps: Steps, step: number): number[] {
  const ranks = new Set<number>();
  for (let t = steps.stepStart[step]; t < steps.stepStart[step + 1]; t++)
    if (steps.source[t] === steps.destination[t]) ranks.add(steps.source[t]);
  return [...ranks].sort((a, b) => a - b);
}

/** Whether all messages of a step are exchanges: every rank in it sends one message to the rank from which it receives one. */
export function isPairwise(messages: readonly ShownMessage[]): boolean {
  const partner = new Map<number, ShownMessage>();
  for (const message of messages) {
    if (partner.has(message.source)) return false;
    partner.set(message.source, message);
  }
  return (
    messages.length > 0 &&
    messages.every((message) => {
      const back = partner.get(message.destination);
      return back !== undefined && back.destination === message.source && back.chunks === message.chunks;
    })
  );
}

/**
 * Writes `(0,1)(2,3)` for exchanges, else `1→0, 3→2`. If that does not fit in `width`, the rule is written (`r ↔ r xor 4`, `r → r+1 mod 64`), or the
 * list is cut.
 */
export function transfersText(messages: readonly ShownMessage[], ranks: number, width: number): string {
  const pairs = isPairwise(messages);
  const items = pairs
    ? messages.filter(({ source, destination }) => source < destination).map((m) => `(${m.source},${m.destination})`)
    : messages.map((m) => `${m.source}→${m.destination}`);
  const separator = pairs ? '' : ', ';
  const whole = items.join(separator);
  if (textWidth(whole) <= width) return whole;
  return ruleText(messages, ranks, pairs) ?? cutText(items, separator, width);
}

/** Returns the rule that the messages follow, if all ranks take part and it is one of the two common rules. */
function ruleText(messages: readonly ShownMessage[], ranks: number, pairs: boolean): string | undefined {
  if (new Set(messages.map(({ source }) => source)).size !== ranks) return undefined;
  if (pairs) {
    const mask = messages[0].source ^ messages[0].destination;
    return messages.every((m) => (m.source ^ m.destination) === mask) ? `r ↔ r xor ${mask}` : undefined;
  }
  const offsets = new Set(messages.map((m) => (m.destination - m.source + ranks) % ranks));
  const connections = new Set(messages.map((m) => m.source * ranks + m.destination));
  if (offsets.size > 2 || connections.size !== messages.length || messages.length !== offsets.size * ranks)
    return undefined;
  const signed = [...offsets].map((offset) => (2 * offset > ranks ? `r−${ranks - offset}` : `r+${offset}`));
  return `r → ${signed.join(' and ')} mod ${ranks}`;
}

function cutText(items: readonly string[], separator: string, width: number): string {
  let text = '';
  for (const [index, item] of items.entries()) {
    const more = `${separator || ' '}… ${items.length - index} more`;
    if (index > 0 && textWidth(text + separator + item + more) > width) return text + more;
    text += index === 0 ? item : separator + item;
  }
  return text;
}
