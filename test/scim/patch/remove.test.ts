import { describePatches, home, user, work } from './describe-patches.ts';
import { core } from './patch.ts';

describePatches('remove', [
  ['an attribute', user, { op: 'remove', path: 'emails' }, { schemas: [core], userName: 'ada', name: { givenName: 'Ada' } }],
  ['what is not there', user, { op: 'remove', path: 'title' }, user],
  ['a selected value', user, { op: 'remove', path: 'emails[type eq "work"]' }, { ...user, emails: [home] }],
  ['a value that does not exist', user, { op: 'remove', path: 'emails[type eq "other"]' }, user],
  ['a value of a list that does not exist', user, { op: 'remove', path: 'ims[type eq "aim"].value' }, user],
  [
    'all of them, one by one',
    user,
    [
      { op: 'remove', path: 'emails[type eq "work"]' },
      { op: 'remove', path: 'emails[value eq "h@x"]' },
    ],
    { schemas: [core], userName: 'ada', name: { givenName: 'Ada' } },
  ],
  ['a part', user, { op: 'remove', path: 'emails[type eq "work"].primary' }, { ...user, emails: [{ type: 'work', value: 'w@x' }, home] }],
  ['the last part', user, { op: 'remove', path: 'name.givenName' }, { schemas: [core], userName: 'ada', emails: [work, home] }],
  ['the last part of a value', { ...user, ims: [{ value: 'a' }] }, { op: 'remove', path: 'ims.value' }, user],
  ['some values', user, { op: 'remove', path: 'emails', value: [{ value: 'h@x' }] }, { ...user, emails: [work] }],
  ['some values of a type', user, { op: 'remove', path: 'emails', value: [{ value: 'h@x', type: 'work' }] }, user],
  ['some values by their type', user, { op: 'remove', path: 'emails', value: { type: 'work' } }, { ...user, emails: [home] }],
  ['no values', user, { op: 'remove', path: 'emails', value: [] }, user],
  ['no values, as null', user, { op: 'remove', path: 'emails', value: null }, user],
  ['one value with null', { ...user, title: 'x' }, { op: 'remove', path: 'title', value: null }, user],
  ['the active attribute', { ...user, active: false }, { op: 'remove', path: 'active' }, user],
]);
