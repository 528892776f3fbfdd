/**
 * Whether JavaScript reads the number as a different one: beyond 2^53, or too small to differ from 0. Smaller numbers may lose decimal
 * places, as always in JSON.
 */
export function losesDigits(text: string): boolean {
  const value = Number(text);
  if (value === 0) return /^-?[0.]*[1-9]/.test(text);
  if (!Number.isFinite(value) || Math.abs(value) < 2 ** 53 || Math.abs(value) >= 1e21) return false;
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return false;
  const digits = `${whole}${fraction}`;
  const length = whole.length + Number(exponent);
  const written = digits.padEnd(length, '0');
  return /[1-9]/.test(written.slice(length)) || BigInt(`${sign}${written.slice(0, length)}`) !== BigInt(value);
}
