/** Decodes the first bytes of UTF-8, without an incomplete character at the end. */
export const decodeStart = (utf8: Buffer, maxBytes: number): string =>
  new TextDecoder().decode(utf8.subarray(0, maxBytes), { stream: true });

export const cutText = (text: string, maxBytes: number): string =>
  text.length * 3 <= maxBytes ? text : decodeStart(Buffer.from(text.slice(0, maxBytes)), maxBytes);
