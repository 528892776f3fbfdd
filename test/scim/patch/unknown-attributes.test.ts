import type { JsonObject } from '../../../src/scim/json.ts';
import { describePatches, user } from './describe-patches.ts';

const odd: JsonObject = { ...user, Shoe: { Size: 42 }, laces: ['red'], pets: [{ kind: 'cat', name: 'Y' }] };

describePatches('unknown attributes', [
  ['is added', user, { op: 'add', path: 'shoe', value: { size: 1 } }, { ...user, shoe: { size: 1 } }],
  ['is changed in its own spelling', odd, { op: 'replace', path: 'SHOE.SIZE', value: 43 }, { ...odd, Shoe: { Size: 43 } }],
  ['is added to', odd, { op: 'add', path: 'shoe', value: { lace: null, colour: 'red' } }, { ...odd, Shoe: { Size: 42, colour: 'red' } }],
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
]);
