import { describePatches, home, user, work } from './describe-patches.ts';

describePatches('add', [
  ['a value', user, { op: 'add', path: 'title', value: 'x' }, { ...user, title: 'x' }],
  ['another value', { ...user, title: 'x' }, { op: 'add', path: 'title', value: 'y' }, { ...user, title: 'y' }],
  ['a part', user, { op: 'add', path: 'name.familyName', value: 'L' }, { ...user, name: { givenName: 'Ada', familyName: 'L' } }],
  ['parts', user, { op: 'add', path: 'name', value: { familyName: 'L' } }, { ...user, name: { givenName: 'Ada', familyName: 'L' } }],
  [
    'what is not in the list yet',
    user,
    { op: 'add', path: 'emails', value: [home, { value: 'n@x' }, { value: 'n@x' }] },
    { ...user, emails: [work, home, { value: 'n@x' }] },
  ],
  ['what is there in another order', user, { op: 'add', path: 'emails', value: [{ value: 'h@x', type: 'home' }] }, user],
  ['a value that exists except for primary', user, { op: 'add', path: 'emails', value: [{ type: 'work', value: 'w@x' }] }, user],
  [
    'a primary value',
    user,
    { op: 'add', path: 'emails', value: [{ value: 'n@x', primary: true }] },
    { ...user, emails: [{ ...work, primary: false }, home, { value: 'n@x', primary: true }] },
  ],
  [
    'primary to an existing value',
    user,
    { op: 'add', path: 'emails', value: [{ ...home, primary: true }] },
    {
      ...user,
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  ['a value by itself', user, { op: 'add', path: 'emails.value', value: 'n@x' }, { ...user, emails: [work, home, { value: 'n@x' }] }],
  ['nothing', user, { op: 'add', path: 'emails', value: [] }, user],
  [
    'to a value that a filter selects',
    user,
    { op: 'add', path: 'emails[type eq "HOME"]', value: { display: 'H' } },
    { ...user, emails: [work, { ...home, display: 'H' }] },
  ],
]);
