/** Bytes that are converted per call: a call with many more arguments overflows the stack. */
const blockLength = 1 << 13;

/** Encodes bytes in base64 (RFC 4648) with `btoa`, which browsers and Node both have. */
export function base64Of(bytes: Uint8Array): string {
  let characters = '';
  for (let at = 0; at < bytes.length; at += blockLength) {
    characters += String.fromCharCode(...bytes.subarray(at, at + blockLength));
  }
  return btoa(characters);
}
