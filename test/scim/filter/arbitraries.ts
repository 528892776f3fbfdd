import fc from 'fast-check';
import type { JsonObject } from '../../../src/scim/json.ts';
import type { ResourceType } from '../../../src/scim/schema/attribute.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const foreign = 'urn:example:params:2.0';

/** Few similar words, so that filters find something, with letters that JavaScript and Postgres convert to the same lower case. */
const words = ['a', 'A', 'ab', 'aB', 'b', 'Ba', 'é', 'É', 'a%', 'a_b', '\\', '"', '😀', 'a😀', '\uffee', ''];
export const someIds = ['0', '1', '2', '3', '4', '5', '6', '7'].map((digit) => `0191e000-0000-7000-8000-00000000abc${digit}`);
export const importedIds = ['108234567890123456789', '03whwml44ez5yj1', '0191e000-0000-8000-8000-00000000abc6', 'é😀"\\%'];
const dates = [
  '2024-05-01T10:00:00.000Z',
  '2024-05-01T10:00:00.001Z',
  '2024-05-01T12:00:00+02:00',
  '2024-05-01',
  '2023-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
];
const numbers = [0, 1, 5, -1.5, 0.1, 1e21, 2 ** 53];

export const word = fc.constantFrom(...words);
export const date = fc.constantFrom(...dates);
const scalar = fc.oneof(word, word, fc.constantFrom(...numbers), fc.boolean(), fc.constant(null));
const object = fc.dictionary(
  fc.constantFrom('value', 'VALUE', 'sub', 'Sub', 'primary'),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })),
  { maxKeys: 3 },
);
/** Unexpected values. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  object,
  fc.array(fc.oneof(scalar, object, fc.array(scalar, { maxLength: 2 })), { maxLength: 3 }),
);

const some = <Value>(values: Record<string, fc.Arbitrary<Value>>) => fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;

const email = some<unknown>({
  value: word,
  type: fc.constantFrom('work', 'home', 'WORK'),
  primary: fc.boolean(),
  display: word,
  extra: junk,
});

/** Attributes of a user that only the document contains. */
export const userDocument: fc.Arbitrary<JsonObject> = some<unknown>({
  schemas: fc.constantFrom(['urn:a'], ['urn:A', 'urn:b']),
  displayName: word,
  nickName: junk,
  title: word,
  name: fc.oneof(some<unknown>({ familyName: word, givenName: junk, nick: junk }), junk),
  emails: fc.array(email, { maxLength: 3 }),
  [enterprise]: some<unknown>({ department: word, manager: some({ value: word, displayName: word }), unknown: junk }),
  custom: junk,
  Custom: junk,
  [foreign]: some<unknown>({ color: junk, Shade: junk }),
});

export const groupDocument: fc.Arbitrary<JsonObject> = some<unknown>({
  custom: junk,
  Custom: junk,
  [foreign]: some<unknown>({ color: junk }),
});

interface Names {
  text: string[];
  flags: string[];
  dates: string[];
  free: string[];
  /** Can only be present or not. */
  holders: string[];
  within: Record<string, Omit<Names, 'holders' | 'within'>>;
}

const ofAll = {
  text: ['id', 'ID', 'externalId', 'meta.resourceType', 'meta.version'],
  flags: [],
  dates: ['meta.created', 'meta.lastModified'],
  free: [
    'custom',
    'CUSTOM',
    'custom.sub',
    'custom.value',
    `${foreign}:color`,
    `${foreign.toUpperCase()}:COLOR`,
    'constructor',
    '__proto__.value',
  ],
  holders: ['meta'],
  within: {
    meta: { text: ['resourceType', 'version'], flags: [], dates: ['created'], free: ['constructor'] },
    custom: { text: [], flags: [], dates: [], free: ['value', 'sub', 'SUB', 'toString'] },
  },
};

const names: Record<ResourceType['name'], Names> = {
  User: {
    text: ofAll.text.concat(
      ['userName', 'displayName', 'nickName', 'title', 'name.familyName', 'name.givenName', 'schemas', 'schemas.value'],
      ['emails', 'EMAILS', 'emails.value', 'emails.type', 'emails.display', 'groups', 'groups.value', 'groups.display', 'groups.type'],
      [`${enterprise}:department`, 'department', 'manager', `${enterprise}:manager.displayName`],
    ),
    flags: ['active', 'emails.primary'],
    dates: ofAll.dates,
    free: [...ofAll.free, `${enterprise}:unheard`, 'name.nick', 'emails.extra', `${foreign}:shade`, `${foreign}:shade.sub`],
    holders: [...ofAll.holders, 'name', enterprise],
    within: {
      ...ofAll.within,
      emails: { text: ['type', 'value', 'VALUE', 'display'], flags: ['primary'], dates: [], free: ['extra', 'EXTRA'] },
      groups: { text: ['value', 'display', 'type'], flags: [], dates: [], free: ['other'] },
      name: { text: ['familyName', 'givenName'], flags: [], dates: [], free: ['nick'] },
      schemas: { text: ['value'], flags: [], dates: [], free: [] },
      manager: { text: ['value', 'displayName'], flags: [], dates: [], free: [] },
    },
  },
  Group: {
    ...ofAll,
    text: [...ofAll.text, 'displayName', 'members', 'members.value', 'MEMBERS.display', 'members.type'],
    within: { ...ofAll.within, members: { text: ['value', 'display', 'type'], flags: [], dates: [], free: ['other'] } },
  },
};

const equality = fc.constantFrom('eq', 'ne', 'EQ');
const order = fc.constantFrom('gt', 'ge', 'lt', 'le');
const part = fc.constantFrom('co', 'sw', 'ew');
const quoted = fc
  .oneof(
    { weight: 6, arbitrary: word },
    fc.constantFrom(...someIds, ...importedIds, 'User', 'group', 'direct', 'WORK', 'W/"1"', 'a0', 'A1', 'b2', 'urn:A'),
  )
  .map((value) => JSON.stringify(value));

const phrase = (name: fc.Arbitrary<string>, operator: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
  fc.tuple(name, operator, value).map((tokens) => tokens.join(' '));

const pick = (list: string[]) => fc.constantFrom(...list);

function termOf({
  text,
  flags,
  dates: moments,
  free,
  holders = [],
}: Omit<Names, 'holders' | 'within'> & { holders?: string[] }): fc.Arbitrary<string> {
  const present = pick([...text, ...flags, ...moments, ...free, ...holders]);
  return fc.oneof(
    present.map((name) => `${name} pr`),
    phrase(present, equality, fc.constant('null')),
    ...(text.length > 0 ? [phrase(pick(text), equality, quoted), phrase(pick(text), fc.oneof(order, part, equality), quoted)] : []),
    ...(flags.length > 0 ? [phrase(pick(flags), equality, fc.constantFrom('true', 'False', '"True"'))] : []),
    ...(moments.length > 0
      ? [
          phrase(
            pick(moments),
            fc.oneof(order, equality),
            date.map((value) => JSON.stringify(value)),
          ),
        ]
      : []),
    ...(free.length > 0
      ? [
          phrase(pick(free), fc.oneof(order, part, equality), quoted),
          phrase(pick(free), fc.oneof(order, equality), fc.constantFrom(...numbers.map(String))),
          phrase(pick(free), equality, fc.boolean().map(String)),
        ]
      : []),
  );
}

function combinationOf(term: fc.Arbitrary<string>, maxDepth: number): fc.Arbitrary<string> {
  const { filter } = fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { maxDepth, withCrossShrink: true },
      { weight: 3, arbitrary: term },
      { weight: 1, arbitrary: fc.tuple(tie('filter'), fc.constantFrom('and', 'or', 'AND'), tie('filter')).map((parts) => parts.join(' ')) },
      { weight: 1, arbitrary: tie('filter').map((inner) => `(${inner})`) },
      { weight: 1, arbitrary: tie('filter').map((inner) => `not(${inner})`) },
    ),
  }));
  return filter;
}

/** Valid filters on the attributes of the documents above. */
export function anyFilterText({ name }: Pick<ResourceType, 'name'>): fc.Arbitrary<string> {
  const { within, ...above } = names[name];
  const element = Object.entries(within).map(([outer, inner]) =>
    fc.oneof(
      combinationOf(termOf(inner), 2).map((filter) => `${outer}[${filter}]`),
      fc.tuple(combinationOf(termOf(inner), 1), termOf(inner)).map(([filter, last]) => `${outer}[${filter}].${last}`),
    ),
  );
  return combinationOf(fc.oneof({ weight: 3, arbitrary: termOf(above) }, { weight: 2, arbitrary: fc.oneof(...element) }), 3);
}
