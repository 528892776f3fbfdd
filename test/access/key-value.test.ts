import { expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { createKeyValue, readKeyValue } from '../../src/access/key-value.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const toNumber = (text: string) => text.split('').reduce((number, digit) => number * 62 + digits.indexOf(digit), 0);

it('a value is rcl_, 30 random digits, and their CRC-32', () => {
  const values = Array.from({ length: 1_000 }, createKeyValue);
  expect(new Set(values).size).toBe(1_000);
  for (const value of values) {
    expect(value).toMatch(/^rcl_[0-9A-Za-z]{36}$/);
    expect(toNumber(value.slice(34))).toBe(crc32(value.slice(4, 34)));
  }
  const used = new Set(values.flatMap((value) => value.slice(4, 34).split('')));
  expect(used.size).toBe(62);
});

it('reads the public part and the SHA-256 of a value', () => {
  const value = createKeyValue();
  expect(readKeyValue(value)).toEqual({ prefix: value.slice(0, 12), hash: createHash('sha256').update(value).digest() });
});

it('finds each wrong digit, each missing one, and two that are swapped', () => {
  const value = createKeyValue();
  for (let place = 4; place < value.length; place += 1) {
    const wrong = digits[(digits.indexOf(value[place]!) + 1) % 62]!;
    expect(readKeyValue(value.slice(0, place) + wrong + value.slice(place + 1))).toBeUndefined();
    expect(readKeyValue(value.slice(0, place) + value.slice(place + 1))).toBeUndefined();
    const swapped = value.slice(0, place) + (value[place + 1] ?? '') + value[place]! + value.slice(place + 2);
    expect(readKeyValue(swapped) === undefined || swapped === value).toBe(true);
  }
  for (const other of ['', 'rcl_', ` ${value}`, `${value} `, value.toUpperCase(), value.replace('rcl_', 'rcx_')])
    expect(readKeyValue(other)).toBeUndefined();
});
