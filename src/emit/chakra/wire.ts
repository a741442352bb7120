/**
 * The few forms of Protocol Buffers that Chakra traces are written in (https://protobuf.dev/programming-guides/encoding): numbers, and texts and
 * messages behind their length. A library would bring its own schema language for these forty lines.
 */

/** The pieces of a message, in order. */
export type WireMessage = readonly Uint8Array[];

/** A whole number from 0 on, seven bits at a time, the lowest first. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

export function numberField(field: number, value: number): WireMessage {
  return [varint(field * 8), varint(value)];
}

/** Repeated numbers, packed; nothing where there are none. */
export function numbersField(field: number, values: readonly number[]): WireMessage {
  return values.length === 0 ? [] : delimited(field, values.map(varint));
}

export function wireTextField(field: number, text: string): WireMessage {
  return delimited(field, [new TextEncoder().encode(text)]);
}

export function messageField(field: number, message: WireMessage): WireMessage {
  return delimited(field, message);
}

/** A message behind its length, as files of several have them. */
export function withLength(message: WireMessage): WireMessage {
  return [varint(lengthOf(message)), ...message];
}

function delimited(field: number, message: WireMessage): WireMessage {
  return [varint(field * 8 + 2), ...withLength(message)];
}

function lengthOf(message: WireMessage): number {
  return message.reduce((sum, { length }) => sum + length, 0);
}

/** All pieces in one. */
export function concatenated(message: WireMessage): Uint8Array {
  const bytes = new Uint8Array(lengthOf(message));
  let at = 0;
  for (const piece of message) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
