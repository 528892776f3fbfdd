import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const start = 'rcl_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const [randomLength, checksumLength] = [30, 6];
/** 47 bits of the random part are public: they are stored and shown. The other 131 bits are not. */
const prefixLength = start.length + 8;

/** The parts of a key that are stored. */
export interface KeyValue {
  /** Its public part. */
  prefix: string;
  /** The SHA-256 of the whole value. */
  hash: Buffer;
}

/** `rcl_`, 30 random base62 digits, and their CRC-32 in 6 base62 digits. */
export function createKeyValue(): string {
  const random = Array.from({ length: randomLength }, () => digits[randomInt(digits.length)]).join('');
  return `${start}${random}${checksumOf(random)}`;
}

export const looksLikeKey = (text: string): boolean => text.startsWith(start);

/** Undefined if the value is not one that `createKeyValue` returns: a digit is missing or wrong. */
export function readKeyValue(text: string): KeyValue | undefined {
  const [, random, checksum] = /^rcl_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  if (random === undefined || checksumOf(random) !== checksum) return undefined;
  return { prefix: text.slice(0, prefixLength), hash: hash('sha256', text, 'buffer') };
}

function checksumOf(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let place = 0; place < checksumLength; place += 1) {
    text = digits[rest % digits.length]! + text;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}
