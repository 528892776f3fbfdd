import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxNames, pathAt, scanJson } from '../../src/http/server/body/scan-json.ts';
import { losesDigits } from '../../src/scim/json.ts';

const scan = (text: string, maxValues = 1_000_000) => scanJson(Buffer.from(text), maxValues);

const object = (count: number, from = 0) => `{${Array.from({ length: count }, (_, index) => `"n${from + index}":0`).join(',')}}`;

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1);
}

describe('scanJson', () => {
  it('never counts too few values, and no commas or brackets in strings', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const { values } = scan(JSON.stringify(value));
        expect(values).toBeGreaterThanOrEqual(countValues(value));
        expect(values).toBeLessThanOrEqual(2 * countValues(value));
      }),
    );
    expect(scan(JSON.stringify({ 'a,[{': '\\",[{', b: ['\\\\', '"'] })).values).toBe(1 + 1 + 1 + 2);
  });

  it('stops when there are too many, and at the end of invalid JSON', () => {
    expect(scan(`[${'[],'.repeat(1_000_000)}[]]`, 1_000).values).toBe(1_001);
    for (const text of ['"', '"\\', '{"a', '-', '[1', ',,', '\\']) expect(scan(text).values).toBeGreaterThan(0);
  });

  it('reads 5 MB in a moment', () => {
    for (const piece of ['[],', '{},', '"",', '0,', '"\\"\\\\",', ' ', '1234567890123456,', `"${'x'.repeat(100)}",`]) {
      const bytes = Buffer.from(`[${piece.repeat(Math.floor(5_000_000 / piece.length))}0]`);
      const start = process.cpuUsage();
      scanJson(bytes, Infinity);
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(1_500);
    }
  });

  it('counts different names, and repeated names once', () => {
    const many = (count: number, stepping: number) =>
      `[${Array.from({ length: count }, (_, index) => object(100, stepping * index)).join(',')}]`;
    expect(scan(many(1_000, 0)).hasTooManyNames).toBe(false);
    expect(scan(many(199, 100)).hasTooManyNames).toBe(false);
    expect(scan(many(1_000, 100)).hasTooManyNames).toBe(true);
    expect(scan(object(maxNames)).hasTooManyNames).toBe(false);
    expect(scan(object(maxNames + 1)).hasTooManyNames).toBe(true);
    expect(scan(`["${':'.repeat(100_000)}"]`).hasTooManyNames).toBe(false);
  });

  it('stops at numbers without separators', () => {
    const bytes = Buffer.from('9007199254740992 '.repeat(300_000));
    const tries = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      expect(scanJson(bytes, Infinity).values).toBe(1);
      return process.cpuUsage(start).user / 1000;
    });
    // The processor time is of the whole process, which may collect garbage meanwhile.
    expect(Math.min(...tries)).toBeLessThan(20);
  });

  it('finds the first number that would lose digits, with its path', () => {
    const text = '{"a":"9007199254740993","é":[1,{"b\\"":9007199254740992,"c":[0,9007199254740993]}],"d":12345678901234567890}';
    const { lossyNumberAt } = scan(text);
    expect(pathAt(Buffer.from(text).toString('utf8', 0, lossyNumberAt))).toBe('é.1.c.1');
    expect(scan('[0,0.00001,1e-5,1e-400]').lossyNumberAt).toBe(16);
  });
});

describe('losesDigits', () => {
  it.each([
    '0',
    '-1',
    '1.5',
    '9007199254740991',
    '9007199254740992',
    '-9007199254740992',
    '1e20',
    '100000000000000000000',
    '0.12345678901234567890',
    '1.0e16',
    '12345678901234567.0e-1',
    '1e400',
    '0e-400',
    '-0.000',
    '1e-300',
    'x',
    '1e1e1',
  ])('is false for %s', (text) => expect(losesDigits(text)).toBe(false));
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '9007199254740993.0',
    '90071992547409930e-1',
    '9007199254740992.5',
    '900719925474.0993e4',
    '1e-400',
    '-0.001E-330',
  ])('is true for %s', (text) => expect(losesDigits(text)).toBe(true));
});
