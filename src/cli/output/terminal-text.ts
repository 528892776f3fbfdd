/** Control characters (C0 and C1), bidirectional overrides and lone surrogates: names in a directory are untrusted. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

const symbolsFrom = 0x2400;

/** Replaces control characters by their symbols. */
export function cleanText(text: string): string {
  return text.replaceAll(unprintable, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(symbolsFrom + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/** `cleanText` for text of several lines. */
export const cleanLines = (text: string): string => text.split('\n').map(cleanText).join('\n');

/** Escapes control characters; the parsed data stays the same. */
export const cleanJson = (json: string): string =>
  json.replaceAll(unprintable, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Created on first use: creating one takes as long as loading the rest of the command line. */
let segmenter: Intl.Segmenter | undefined;
const graphemesOf = (text: string) => (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })).segment(text);

const wide =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator})/u;
const halfWide = /^[\uff61-\uffdc]/u;
const noWidth = /^[\p{M}\p{Cf}]+$/u;

function graphemeWidth(grapheme: string): number {
  if (noWidth.test(grapheme)) return 0;
  return wide.test(grapheme) && !halfWide.test(grapheme) ? 2 : 1;
}

/** The number of terminal columns that a text takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** Cuts the text to the width and ends it with an ellipsis. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let [fitting, taken] = ['', 0];
  for (const { segment } of graphemesOf(text)) {
    taken += graphemeWidth(segment);
    if (taken > width - 1) break;
    fitting += segment;
  }
  return `${fitting}…`;
}

export const padText = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)));
