/** Whether Postgres and every consumer can store the text. */
export const isCleanText = (value: string) => !value.includes('\0') && value.isWellFormed();

/** Normalizes text for comparison: without regard to case, and to composed or decomposed accents. */
export function foldCase(text: string): string {
  if (isAscii(text) || hasLongRunOfMarks(text)) return text.toLowerCase();
  return text.normalize('NFC').toLowerCase();
}

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);

/** Normalizing a long run of combining marks takes quadratic time: 45 s for 262,144 marks. No language uses more than a few. */
export function hasLongRunOfMarks(text: string): boolean {
  if (text.length <= maxMarks || isAscii(text)) return false;
  let run = 0;
  for (let at = 0; at < text.length && run <= maxMarks; at += 1) {
    const point = text.codePointAt(at)!;
    if (point > 0xffff) at += 1;
    run = isMark(point) ? run + 1 : 0;
  }
  return run > maxMarks;
}
export const maxMarks = 64;

const firstMark = 0x300;
const mark = /\p{M}/u;
/** For the characters up to U+FFFF. A regular expression for a run of marks takes fifty times as long. */
let marks: Uint8Array | undefined;

function isMark(point: number): boolean {
  if (point < firstMark) return false;
  if (point > 0xffff) return mark.test(String.fromCodePoint(point));
  marks ??= Uint8Array.from({ length: 0x10000 }, (_, code) => Number(mark.test(String.fromCharCode(code))));
  return marks[point] === 1;
}

/** Whether normalizing the text is cheap. */
export const isComposed = (text: string) => !/[\u0300-\uffff]/.test(text);

/** `text.includes(part)` in linear time. The built-in may need the product of both lengths: 1 s for 262,144 and 8,000 characters. */
export function containsText(text: string, part: string): boolean {
  if (part.length > text.length) return false;
  return text.length * part.length < maxNaiveComparisons ? text.includes(part) : searchLinear(text, part);
}
const maxNaiveComparisons = 4_000;

/** The same part is usually searched in many texts. */
let latest: { part: string; fallbacks: Uint32Array } | undefined;

/** Knuth-Morris-Pratt. */
function searchLinear(text: string, part: string): boolean {
  if (latest?.part !== part) latest = { part, fallbacks: fallbacksOf(part) };
  const { fallbacks } = latest;
  for (let at = 0, length = 0; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== part.charCodeAt(length)) length = fallbacks[length - 1]!;
    if (text.charCodeAt(at) === part.charCodeAt(length)) length += 1;
    if (length === part.length) return true;
  }
  return false;
}

function fallbacksOf(part: string): Uint32Array {
  const fallbacks = new Uint32Array(part.length);
  for (let at = 1, length = 0; at < part.length; at += 1) {
    while (length > 0 && part.charCodeAt(at) !== part.charCodeAt(length)) length = fallbacks[length - 1]!;
    if (part.charCodeAt(at) === part.charCodeAt(length)) length += 1;
    fallbacks[at] = length;
  }
  return fallbacks;
}
