import { it } from '@jest/globals';
import { applyPatch } from '/work/main/src/scim/patch/apply-patch.ts';
import { readPatch } from '/work/main/src/scim/patch/read-patch.ts';
import { userType } from '/work/main/src/scim/schema/resource-types.ts';
it('x', () => {
  const emails = Array.from({ length: 30_000 }, (_, index) => ({ value: `${index}@example.com` }));
  const terms = Array.from({ length: 100 }, (_, index) => `value co "${index}x"`).join(' or ');
  for (const make of [
    (index: number) => ({ op: 'add', path: 'emails', value: { value: `${index}` } }),
    (index: number) => ({ op: 'remove', path: `emails[value eq "${index}"]` }),
    (index: number) => ({ op: 'remove', path: 'emails', value: [{ value: `${index}` }] }),
    (index: number) => ({ op: 'add', path: `unknown${index}`, value: 1 }),
    (index: number) => ({ op: 'replace', path: `emails[${terms}].display`, value: `${index}` }),
    (index: number) => ({ op: 'replace', path: 'emails.display', value: `${index}` }),
  ]) {
    let t = performance.now();
    const { operations } = readPatch({Operations: Array.from({ length: 1000 }, (_, index) => make(index))}, userType);
    const read = performance.now() - t;
    t = performance.now();
    let e = '';
    try { applyPatch({ userName: 'x', emails, ...Object.fromEntries(emails.map(({ value }) => [value, 1])) }, operations, userType); } catch (x) { e = (x as Error).message; }
    console.log(read, performance.now() - t, e);
  }
});
