import type { JsonObject } from '../../../src/scim/json.ts';
import { describePatches, user } from './describe-patches.ts';
import { core, enterprise } from './patch.ts';

const shop = 'urn:example:shop:2.0:User';
const extended: JsonObject = { ...user, schemas: [core, enterprise], [enterprise]: { department: 'R&D' } };
const shopping: JsonObject = { ...user, schemas: [core, shop], [shop]: { Tier: 'gold', tags: ['a'] } };

describePatches('an extension', [
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
]);

describePatches('an unknown extension', [
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
  ['is added to', shopping, { op: 'add', path: shop, value: { tier: 'silver' } }, { ...shopping, [shop]: { Tier: 'silver', tags: ['a'] } }],
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
]);
