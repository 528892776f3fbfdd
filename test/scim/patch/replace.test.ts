import { describePatches, home, user, work } from './describe-patches.ts';
import { core } from './patch.ts';

describePatches('replace', [
  ['a list', user, { op: 'replace', path: 'emails', value: [home] }, { ...user, emails: [home] }],
  ['parts', user, { op: 'replace', path: 'name', value: { familyName: 'L' } }, { ...user, name: { givenName: 'Ada', familyName: 'L' } }],
  ['what is not there', user, { op: 'replace', path: 'nickName', value: 'x' }, { ...user, nickName: 'x' }],
  [
    'a sub-attribute of selected values',
    user,
    { op: 'replace', path: 'emails[value ew "@x"].display', value: 'D' },
    {
      ...user,
      emails: [
        { ...work, display: 'D' },
        { ...home, display: 'D' },
      ],
    },
  ],
  [
    'a sub-attribute of all values',
    user,
    { op: 'replace', path: 'emails.display', value: 'D' },
    {
      ...user,
      emails: [
        { ...work, display: 'D' },
        { ...home, display: 'D' },
      ],
    },
  ],
  [
    'a selected value, which keeps what the filter matched',
    { ...user, emails: [{ ...work, display: 'W' }, home] },
    { op: 'replace', path: 'emails[type eq "WORK"]', value: { value: 'n@x' } },
    { ...user, emails: [{ type: 'work', value: 'n@x' }, home] },
  ],
  [
    'a selected value with text',
    user,
    { op: 'replace', path: 'emails[type eq "home"]', value: 'n@x' },
    { ...user, emails: [work, { type: 'home', value: 'n@x' }] },
  ],
  [
    'a value that does not exist',
    user,
    { op: 'replace', path: 'emails[type eq "other" and primary eq false].value', value: 'o@x' },
    { ...user, emails: [work, home, { type: 'other', primary: false, value: 'o@x' }] },
  ],
  [
    'a value that does not exist, as a whole',
    user,
    { op: 'replace', path: 'emails[type eq "other"]', value: [{ value: 'o@x' }] },
    { ...user, emails: [work, home, { type: 'other', value: 'o@x' }] },
  ],
  [
    'a primary value',
    user,
    { op: 'replace', path: 'emails[type eq "home"].primary', value: 'True' },
    {
      ...user,
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  [
    'the primary value by setting primary',
    user,
    { op: 'replace', path: 'emails[primary eq true and type eq "other"].value', value: 'o@x' },
    { ...user, emails: [{ ...work, primary: false }, home, { primary: true, type: 'other', value: 'o@x' }] },
  ],
  [
    'what the filter matches',
    user,
    { op: 'replace', path: 'emails[value eq "h@x"].value', value: 'n@x' },
    { ...user, emails: [work, { type: 'home', value: 'n@x' }] },
  ],
  ['what the filter matches with the same value', user, { op: 'replace', path: 'emails[value eq "old@x"].value', value: 'h@x' }, user],
  ['with nothing', user, { op: 'replace', path: 'emails', value: null }, { schemas: [core], userName: 'ada', name: { givenName: 'Ada' } }],
  ['with the same', user, { op: 'replace', value: user }, user],
]);
