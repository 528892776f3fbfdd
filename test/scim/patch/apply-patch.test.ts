import { expect, it } from '@jest/globals';
import { user } from './describe-patches.ts';
import { patch } from './patch.ts';

it('operations see the effects of earlier ones', () => {
  expect(
    patch(
      user,
      { op: 'remove', path: 'emails' },
      { op: 'add', path: 'emails[type eq "work"].value', value: 'a' },
      { op: 'replace', path: 'emails[value eq "a"].value', value: 'b' },
      { op: 'add', path: 'emails', value: { value: 'c' } },
    ),
  ).toEqual({ ...user, emails: [{ type: 'work', value: 'b' }, { value: 'c' }] });
});

it('the stored resource shares nothing with the request', () => {
  const value = { size: 1 };
  const patched = patch(user, { op: 'add', path: 'shoe', value });
  const again = patch(patched, { op: 'replace', path: 'shoe.size', value: 2 });
  expect([value, patched['shoe'], again['shoe']]).toEqual([{ size: 1 }, { size: 1 }, { size: 2 }]);
});
