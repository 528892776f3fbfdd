import { describe, expect, it } from '@jest/globals';
import { cleanJson, cleanText, fitText, textWidth } from '../../src/cli/output/terminal-text.ts';

describe('text for a terminal', () => {
  it.each([
    ['\u001b[31mred', '␛[31mred'],
    ['bell\u0007', 'bell␇'],
    ['two\nlines', 'two␊lines'],
    ['del\u007f', 'del␡'],
    ['c1 \u009b2J', 'c1 �2J'],
    ['right \u202eto left', 'right �to left'],
    ['separated\u2028', 'separated�'],
    ['half \ud800', 'half �'],
    ['Zoë 山田 👩‍👩‍👧', 'Zoë 山田 👩‍👩‍👧'],
  ])('shows %j without executing it', (given, shown) => {
    expect(cleanText(given)).toBe(shown);
  });

  it('escapes control characters in JSON without changing the data', () => {
    const data = { name: '\u001b]0;owned\u0007 \u009b2J \u202e \u007f', list: ['山', '👩‍👩‍👧'] };
    const text = cleanJson(JSON.stringify(data, undefined, 2));
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
    expect(JSON.parse(text)).toEqual(data);
  });

  it.each([
    ['ada', 3],
    ['山田', 4],
    ['ｶﾅ', 2],
    ['ＡＢ', 4],
    ['김', 2],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇨🇭', 2],
    ['✓', 1],
    ['', 0],
  ])('measures the width of %j', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it.each([
    ['short', 8, 'short'],
    ['a longer text', 8, 'a longe…'],
    ['山田太郎', 6, '山田…'],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
  ])('cuts %j to %d columns, between characters', (text, width, cut) => {
    expect(fitText(text, width)).toBe(cut);
    expect(textWidth(fitText(text, width))).toBeLessThanOrEqual(width);
  });
});
