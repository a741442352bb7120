/**
 * The parts of the Protocol Buffers encoding that Chakra traces need (https://protobuf.dev/programming-guides/encoding): numbers, and strings and
 * messages with their length. A library would require its schema language for these forty lines.
 */

/** The pieces of an encoded message, in order. */
export type WireMessage = readonly Uint8Array[];

/** A non-negative integer as a varint: seven bits per byte, the lowest first. */
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

/** A packed repeated field of numbers; empty if there are none. */
export function numbersField(field: number, values: readonly number[]): WireMessage {
  return values.length === 0 ? [] : delimited(field, values.map(varint));
}

export function wireTextField(field: number, text: string): WireMessage {
  return delimited(field, [new TextEncoder().encode(text)]);
}

export function messageField(field: number, message: WireMessage): WireMessage {
  return delimited(field, message);
}

/** A message preceded by its length, as in files of several messages. */
export function withLength(message: WireMessage): WireMessage {
  return [varint(lengthOf(message)), ...message];
}

function delimited(field: number, message: WireMessage): WireMessage {
  return [varint(field * 8 + 2), ...withLength(message)];
}

function lengthOf(message: WireMessage): number {
  return message.reduce((sum, { length }) => sum + length, 0);
}

/** The concatenated pieces. */
export function concatenated(message: WireMessage): Uint8Array {
  const bytes = new Uint8Array(lengthOf(message));
  let at = 0;
  for (const piece of message) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
