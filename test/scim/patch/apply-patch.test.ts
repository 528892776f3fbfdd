import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/scim/json.ts';
import { core, enterprise, patch } from './patch.ts';

const shop = 'urn:example:shop:2.0:User';
const work = { type: 'work', value: 'w@x', primary: true };
const home = { type: 'home', value: 'h@x' };
const user: JsonObject = { schemas: [core], userName: 'ada', emails: [work, home], name: { givenName: 'Ada' } };
const extended: JsonObject = { ...user, schemas: [core, enterprise], [enterprise]: { department: 'R&D' } };
const shopping: JsonObject = { ...user, schemas: [core, shop], [shop]: { Tier: 'gold', tags: ['a'] } };
const odd: JsonObject = { ...user, Shoe: { Size: 42 }, laces: ['red'], pets: [{ kind: 'cat', name: 'Y' }] };

type Case = [title: string, before: JsonObject, operations: object | object[], after: JsonObject];

describe.each<[string, Case[]]>([
  [
    'add',
    [
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
    ],
  ],
  [
    'replace',
    [
      ['a list', user, { op: 'replace', path: 'emails', value: [home] }, { ...user, emails: [home] }],
      [
        'parts',
        user,
        { op: 'replace', path: 'name', value: { familyName: 'L' } },
        { ...user, name: { givenName: 'Ada', familyName: 'L' } },
      ],
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
      [
        'with nothing',
        user,
        { op: 'replace', path: 'emails', value: null },
        { schemas: [core], userName: 'ada', name: { givenName: 'Ada' } },
      ],
      ['with the same', user, { op: 'replace', value: user }, user],
    ],
  ],
  [
    'remove',
    [
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
      [
        'a part',
        user,
        { op: 'remove', path: 'emails[type eq "work"].primary' },
        { ...user, emails: [{ type: 'work', value: 'w@x' }, home] },
      ],
      ['the last part', user, { op: 'remove', path: 'name.givenName' }, { schemas: [core], userName: 'ada', emails: [work, home] }],
      ['the last part of a value', { ...user, ims: [{ value: 'a' }] }, { op: 'remove', path: 'ims.value' }, user],
      ['some values', user, { op: 'remove', path: 'emails', value: [{ value: 'h@x' }] }, { ...user, emails: [work] }],
      ['some values of a type', user, { op: 'remove', path: 'emails', value: [{ value: 'h@x', type: 'work' }] }, user],
      ['some values by their type', user, { op: 'remove', path: 'emails', value: { type: 'work' } }, { ...user, emails: [home] }],
      ['no values', user, { op: 'remove', path: 'emails', value: [] }, user],
      ['no values, as null', user, { op: 'remove', path: 'emails', value: null }, user],
      ['one value with null', { ...user, title: 'x' }, { op: 'remove', path: 'title', value: null }, user],
      ['the active attribute', { ...user, active: false }, { op: 'remove', path: 'active' }, user],
    ],
  ],
  [
    'an extension',
    [
      [
        'comes',
        user,
        { op: 'add', path: enterprise, value: { department: 'R&D', manager: '7' } },
        { ...user, schemas: [core, enterprise], [enterprise]: { department: 'R&D', manager: { value: '7' } } },
      ],
      ['is added with its first value', user, { op: 'add', path: `${enterprise}:department`, value: 'R&D' }, extended],
      ['is added without its URN', user, { op: 'add', path: 'department', value: 'R&D' }, extended],
      [
        'is added to',
        extended,
        { op: 'replace', path: enterprise, value: { costCenter: '7' } },
        { ...extended, [enterprise]: { department: 'R&D', costCenter: '7' } },
      ],
      ['goes', extended, { op: 'remove', path: enterprise }, user],
      ['is removed with its last value', extended, { op: 'remove', path: `${enterprise.toUpperCase()}:DEPARTMENT` }, user],
      ['is removed if it is null', extended, { op: 'replace', value: { [enterprise]: null } }, user],
      ['loses what is null', extended, { op: 'replace', path: enterprise, value: { department: null } }, user],
      ['stays if it is omitted', extended, { op: 'replace', path: enterprise, value: {} }, extended],
      ['loses what is named', extended, { op: 'remove', path: enterprise, value: { department: 'R&D' } }, user],
      ['that does not exist can be removed', user, { op: 'remove', path: `${enterprise}:manager.value` }, user],
    ],
  ],
  [
    'an unknown extension',
    [
      ['is added as a whole', user, { op: 'add', path: shop, value: { Tier: 'gold', tags: ['a'] } }, shopping],
      ['is added without a path', user, { op: 'add', value: { [shop]: { Tier: 'gold', tags: ['a'] } } }, shopping],
      [
        'is added by its parts',
        user,
        [
          { op: 'add', path: `${shop}:Tier`, value: 'gold' },
          { op: 'add', value: { [`${shop}:tags`]: ['a'] } },
        ],
        shopping,
      ],
      [
        'changes',
        shopping,
        [
          { op: 'replace', path: `${shop.toUpperCase()}:TIER`, value: 'silver' },
          { op: 'add', path: `${shop}:tags`, value: ['a', 'b'] },
        ],
        { ...shopping, [shop]: { Tier: 'silver', tags: ['a', 'b'] } },
      ],
      [
        'is added to',
        shopping,
        { op: 'add', path: shop, value: { tier: 'silver' } },
        { ...shopping, [shop]: { Tier: 'silver', tags: ['a'] } },
      ],
      ['goes', shopping, { op: 'remove', path: shop }, user],
      [
        'is removed by its parts',
        shopping,
        [
          { op: 'remove', path: `${shop}:tier` },
          { op: 'remove', path: `${shop}:tags` },
        ],
        user,
      ],
    ],
  ],
  [
    'unknown attributes',
    [
      ['is added', user, { op: 'add', path: 'shoe', value: { size: 1 } }, { ...user, shoe: { size: 1 } }],
      ['is changed in its own spelling', odd, { op: 'replace', path: 'SHOE.SIZE', value: 43 }, { ...odd, Shoe: { Size: 43 } }],
      [
        'is added to',
        odd,
        { op: 'add', path: 'shoe', value: { lace: null, colour: 'red' } },
        { ...odd, Shoe: { Size: 42, colour: 'red' } },
      ],
      ['is added to, a list', odd, { op: 'add', path: 'laces', value: ['red', 'blue'] }, { ...odd, laces: ['red', 'blue'] }],
      ['is replaced', odd, { op: 'replace', path: 'laces', value: 'red' }, { ...odd, laces: 'red' }],
      ['is replaced, one of a list', odd, { op: 'replace', path: 'laces[value eq "red"]', value: 'blue' }, { ...odd, laces: ['blue'] }],
      ['loses one of a list', { ...odd, laces: ['red', 'blue'] }, { op: 'remove', path: 'laces', value: ['blue', 'green'] }, odd],
      [
        'is selected by a filter',
        odd,
        { op: 'replace', path: 'pets[kind eq "CAT"].Name', value: 'Z' },
        { ...odd, pets: [{ kind: 'cat', name: 'Z' }] },
      ],
      [
        'is made',
        odd,
        { op: 'replace', path: 'pets[kind eq "dog"].name', value: 'W' },
        {
          ...odd,
          pets: [
            { kind: 'cat', name: 'Y' },
            { kind: 'dog', name: 'W' },
          ],
        },
      ],
      [
        'goes',
        odd,
        [
          { op: 'remove', path: 'shoe.size' },
          { op: 'remove', path: 'LACES' },
          { op: 'replace', path: 'pets', value: [] },
        ],
        user,
      ],
      ['of a known attribute', user, { op: 'add', path: 'name.nick', value: 'A' }, { ...user, name: { givenName: 'Ada', nick: 'A' } }],
    ],
  ],
])('%s', (_title, cases) => {
  it.each(cases)('%s', (_name, before, operations, after) => {
    const kept = structuredClone(before);
    const patched = patch(before, ...[operations].flat());
    expect(patched).toEqual(after);
    expect(Object.keys(patched).sort()).toEqual(Object.keys(after).sort());
    expect(before).toEqual(kept);
  });
});

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
