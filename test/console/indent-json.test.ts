import { expect, it } from '@jest/globals';
import { indentJson } from '../../src/console/parts/indent-json.ts';

it.each([{ a: [1, { b: '{"c": [], "d": "\\"}' }], e: {}, f: [], g: ': , ', h: [[]] }, [], 'text', 1.5e300, null])(
  'breaks lines as JSON.stringify does: %j',
  (value) => {
    expect(indentJson(JSON.stringify(value), 1_000)).toBe(JSON.stringify(value, null, 2));
    expect(indentJson(JSON.stringify(value, null, 7), 1_000)).toBe(JSON.stringify(value, null, 2));
  },
);

it('keeps what was sent: repeated keys, long numbers and escapes', () => {
  expect(indentJson(String.raw`{"a":1,"a":12345678901234567890,"b":"\u0041\/"}`, 1_000)).toBe(
    String.raw`{
  "a": 1,
  "a": 12345678901234567890,
  "b": "\u0041\/"
}`,
  );
});

it('leaves what is no JSON as it is', () => {
  for (const text of ['', '{"a":', 'user=ada', '{"a":1} {"b":2}']) expect(indentJson(text, 1_000)).toBe(text);
});

it('stays small and quick for a body that is nested thousands of levels deep', () => {
  const depth = 8_000;
  const startedAt = process.cpuUsage();
  for (let time = 0; time < 100; time += 1)
    expect(indentJson('['.repeat(depth) + ']'.repeat(depth), 100_000).length).toBeLessThan(100_000 + 4 * depth);
  const { user, system } = process.cpuUsage(startedAt);
  // To indent one of them whole takes 128 MB.
  expect((user + system) / 1_000).toBeLessThan(5_000);
});
