import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { removePasswords } from '../../../src/directory/recorded-requests/remove-passwords.ts';

const secret = 'hunter2';

describe('the password', () => {
  it.each([
    ['of a user', { userName: 'ada', password: secret }],
    ['whatever the case of its name', { PassWord: secret, x: { pASSWORD: secret } }],
    ['that is not text', { password: { value: secret, deeper: [secret] }, x: 1 }],
    ['under its whole name', { 'urn:ietf:params:scim:schemas:core:2.0:User:password': secret }],
    ['in the depth of a list', { Operations: [{ op: 'add', value: [{ x: [{ password: secret }] }] }] }],
    ['of an operation that names it', { Operations: [{ op: 'replace', path: 'password', value: secret }] }],
    ['that comes before its path', { Operations: [{ value: secret, op: 'replace', Path: 'urn:x:User:PASSWORD' }] }],
    ['of an operation with a structured value', { op: 'replace', value: [{ value: secret }], path: 'password' }],
    ['of an operation without a path', { op: 'replace', value: { password: secret } }],
    [
      'of each operation of a bulk request',
      { Operations: [{ method: 'POST', data: { password: secret } }, { data: { password: secret } }] },
    ],
    ['of a pair of name and value', { attributes: [{ name: ['password'], value: secret }] }],
    ['that a filter looks for', { filter: `userName eq "a" and password eq "${secret}"` }],
    ['that a filter looks for without quotation marks', { filter: `password eq ${secret}` }],
    ['that a path chooses by', { op: 'remove', path: `x[password eq "${secret}"]` }],
    ['in JSON within a string', JSON.stringify({ password: secret })],
  ])('is removed: %s', (_, body) => {
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)]) {
      const safe = removePasswords(text);
      expect(safe).not.toContain(secret);
      expect(safe).toContain('[removed]');
      expect(() => JSON.parse(safe) as unknown).not.toThrow();
    }
  });

  it.each([
    ['written in escapes', `{"p\\u0061ssword":"${secret}"}`],
    ['whose operation is written in escapes', `{"\\u0070ath":"p\\u0061ssword","v\\u0061lue":"${secret}"}`],
    ['given twice', `{"password":"${secret}","password":"${secret}"}`],
    ['whose path is given twice', `{"path":"password","value":"${secret}","path":"title"}`],
    ['that is cut off', `{"password":"${secret}`],
    ['in a string that is cut off', `{"x":"{\\"password\\":\\"${secret}`],
    ['whose object is cut off', `{"password":{"x":"${secret}"`],
    ['whose path may stand in what is cut off', `{"Operations":[{"op":"replace","value":"${secret}","x":"`],
  ])('is removed: %s', (_, text) => {
    expect(removePasswords(text)).not.toContain(secret);
  });
});

it('keeps everything else unchanged', () => {
  const text = `{ "a" : 1.0, "op":"Add" ,"Path":"title",\n "value" : "x\\u00e9" , "password" : "${secret}" , "z": [ ] }`;
  expect(removePasswords(text)).toBe(text.replace(` "${secret}" `, '"[removed]"'));
});

it('keeps a truncated value after a path that is not a password', () => {
  const text = '{"op":"add","path":"members","value":[{"value":"a"},{"value":"b"},{"va';
  expect(removePasswords(text)).toBe(text);
});

it('does not change JSON without passwords, and always returns valid JSON', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(removePasswords(text)).toBe(text);
    }),
  );
  const key = fc.constantFrom('password', 'path', 'value', 'x', 'Operations');
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom('password', 'title', 'password eq "x"', 7, null),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(key, tie('node'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(node, (value) => {
      JSON.parse(removePasswords(JSON.stringify(value)));
    }),
  );
});

it('is fast for a body that is built to be slow', () => {
  const start = process.cpuUsage();
  for (const piece of ['{"password":', '[', '"\\\\', '"', '{"value":"password', '\\u0070assword', ',"password"', ']}'])
    removePasswords(piece.repeat(Math.ceil(16_384 / piece.length)));
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(1_000);
});
