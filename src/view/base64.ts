/** Characters that are made of bytes at a time: more arguments than this overflow the stack of a call. */
const blockLength = 1 << 13;

/** Bytes in base64 (RFC 4648), with the function that both browsers and Node have. */
export function base64Of(bytes: Uint8Array): string {
  let characters = '';
  for (let at = 0; at < bytes.length; at += blockLength) {
    characters += String.fromCharCode(...bytes.subarray(at, at + blockLength));
  }
  return btoa(characters);
}
