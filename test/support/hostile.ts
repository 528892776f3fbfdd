import fc from 'fast-check';

/** A request as anybody with a directory's secret could send it. `{user}` and `{group}` in a path are there. */
export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

const core = 'urn:ietf:params:scim:schemas:core:2.0';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const messages = 'urn:ietf:params:scim:api:messages:2.0';

const names = `userName externalId displayName active name name.givenName emails emails.value phoneNumbers members roles groups meta
  meta.created meta.version id schemas password manager manager.value x509Certificates USERNAME value type primary display $ref custom
  ${enterprise} ${enterprise}:manager ${enterprise}:manager.value ${core}:User ${core}:User:userName ${core}:Group:members
  urn:example:2.0:User urn:example:2.0:User:shoe urn: a.b.c emails[type+eq+"work"] emails[type+eq+"work"].value members[value+eq+"x"]
  emails[ emails] [ . .. __proto__ __proto__.polluted constructor constructor.prototype prototype toString valueOf hasOwnProperty then`
  .split(/\s+/)
  .concat('', ' ', '\0');
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...names) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

const texts = [
  '',
  ' ',
  'work',
  'True',
  'false',
  'null',
  '2819',
  '\0',
  '\ud800',
  '😀',
  "'; drop table users; --",
  '%',
  '_',
  '\\',
  '"',
  '🏴'.repeat(200),
];
const text = fc.oneof(fc.constantFrom(...texts, '{user}', '{group}', 'x'.repeat(600)), fc.string({ unit: 'binary', maxLength: 20 }));
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 2 ** 53, 1e21, 1e308, 1e-300),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 5, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 3, arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 4 }) },
  ),
}));

/** Its own names come with values that it expects, or with anything. */
const likely = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(fc.dictionary(name, value, { maxKeys: 4 }), fc.record(fields, { requiredKeys: [] }))
    .map(([odd, expected]): unknown => ({ ...odd, ...expected }));

const often = (expected: fc.Arbitrary<unknown>) => fc.oneof({ weight: 4, arbitrary: expected }, { weight: 1, arbitrary: value });
const valued = fc.array(likely({ value: often(text), type: often(text), primary: often(fc.boolean()) }), { maxLength: 4 });

const user = likely({
  schemas: often(fc.constant([`${core}:User`])),
  userName: often(fc.uuid()),
  externalId: often(text),
  active: often(fc.constantFrom(true, false, 'True', 'False', [false])),
  name: often(likely({ givenName: often(text), familyName: often(text) })),
  emails: often(valued),
  [enterprise]: often(likely({ department: often(text), manager: value })),
});
const group = likely({ schemas: often(fc.constant([`${core}:Group`])), displayName: often(fc.uuid()), members: often(valued) });

const attribute = fc.tuple(name, fc.option(name)).map(([whole, sub]) => (sub === null ? whole : `${whole}.${sub}`));
const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'EQ', 'pr', 'is', '');
const literal = fc.oneof(
  scalar.map((one) => JSON.stringify(one)),
  text,
  fc.constantFrom('"', '"\\q"', "'a'", '2026-01-31T12:00:00Z', '"9999999-01-01"'),
);

/** Mostly grammatical: what makes no sense at once gets no further than the reader. */
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 4, arbitrary: fc.tuple(attribute, operator, literal).map((words) => words.join(' ')) },
    { weight: 1, arbitrary: fc.tuple(tie('filter'), fc.constantFrom('and', 'or', 'xor'), tie('filter')).map((words) => words.join(' ')) },
    { weight: 1, arbitrary: tie('filter').map((inner) => `not (${inner})`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('emails', 'members', 'name', 'groups'), tie('filter'))
        .map(([outer, inner]) => `${outer}[${inner}]`),
    },
  ),
}));
const anyFilter = fc.oneof({ weight: 6, arbitrary: filter }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) });

const path = fc.oneof(
  attribute,
  fc.tuple(name, anyFilter, fc.constantFrom('', '.value', '.type', '.__proto__')).map(([outer, inner, sub]) => `${outer}[${inner}]${sub}`),
);
const operation = likely({
  op: often(fc.constantFrom('add', 'replace', 'remove', 'Add', 'Replace', 'REMOVE')),
  path: often(path),
  value,
});
const patch = likely({
  schemas: often(fc.constant([`${messages}:PatchOp`])),
  Operations: often(fc.array(operation, { minLength: 1, maxLength: 6 })),
});

const bulk = likely({
  schemas: fc.constant([`${messages}:BulkRequest`]),
  failOnErrors: often(fc.integer({ min: 1, max: 3 })),
  Operations: often(
    fc.array(
      likely({
        method: often(fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE')),
        path: often(fc.constantFrom('/Users', '/Groups', '/Users/{user}', '/Groups/{group}', '/Users/bulkId:a', '/Groups/bulkId:b')),
        bulkId: often(fc.constantFrom('a', 'b', 'c', '__proto__')),
        version: often(fc.constantFrom('W/"1"', '*')),
        data: fc.oneof(user, group, patch, fc.constant({ displayName: 'circle', members: [{ value: 'bulkId:a' }, { value: 'bulkId:b' }] })),
      }),
      { maxLength: 6 },
    ),
  ),
});

const parameter = fc.oneof(
  fc.tuple(fc.constantFrom('filter', 'Filter'), anyFilter),
  fc.tuple(
    fc.constantFrom('sortBy', 'attributes', 'excludedAttributes'),
    fc.oneof(
      attribute,
      fc.array(attribute).map((all) => all.join(',')),
    ),
  ),
  fc.tuple(
    fc.constantFrom('count', 'startIndex', 'cursor', 'sortOrder', '__proto__'),
    fc.oneof(text, number.map(String), fc.constant('descending')),
  ),
);
const query = fc
  .array(parameter, { maxLength: 4 })
  .map((all) => new URLSearchParams(all.map(([key, one]): [string, string] => [key, one.toWellFormed()])).toString());
const search = likely({
  schemas: fc.constant([`${messages}:SearchRequest`]),
  filter: often(anyFilter),
  sortBy: often(attribute),
  attributes: often(fc.array(attribute, { maxLength: 3 })),
  count: often(fc.integer()),
  startIndex: often(fc.integer()),
  cursor: fc.option(text),
});

/** Whole, cut off, or with a piece in it that does not belong there. */
const json = (body: fc.Arbitrary<unknown>) =>
  fc
    .tuple(
      body,
      fc.nat({ max: 30 }),
      fc.nat({ max: 400 }),
      fc.constantFrom('', '"', '}', '\\', '1e400', '"__proto__":{"polluted":1},', '\0', '\u2028'),
    )
    .map(([whole, dice, at, piece]) => {
      const written = JSON.stringify(whole) ?? '';
      return dice > 1 ? written : dice === 1 ? written.slice(0, at) : `${written.slice(0, at)}${piece}${written.slice(at)}`;
    });

const headers = fc.record(
  {
    'if-match': fc.constantFrom('*', 'W/"1"', '"1", W/"2"', 'W/', '", ,"', '9'.repeat(400)),
    'if-none-match': fc.constantFrom('*', 'W/"1"', 'junk'),
    accept: fc.constantFrom('text/html', '*/*', 'application/scim+json;q=0'),
    'content-type': fc.constantFrom(
      'application/json',
      'application/scim+json; charset=utf-16',
      'text/plain',
      'application/scim+json;;',
      '/',
    ),
  },
  { requiredKeys: [] },
);

const segment = fc.oneof(
  fc.constantFrom('', '.', '%2e%2e', '%00', '%', '%E0%A4%A', '%2F', '__proto__', 'constructor', 'x'.repeat(3000)),
  fc.webSegment(),
);
const anyPath = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`);

const to = (
  method: string | fc.Arbitrary<string>,
  address: string | fc.Arbitrary<string>,
  body?: fc.Arbitrary<unknown>,
): fc.Arbitrary<HostileRequest> =>
  fc
    .record({
      method: typeof method === 'string' ? fc.constant(method) : method,
      address: typeof address === 'string' ? fc.constant(address) : address,
      query: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: query }),
      headers: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
      body: body ? json(body) : fc.constant(undefined),
    })
    .map((made) => ({
      method: made.method,
      path: made.query === '' ? made.address : `${made.address}?${made.query}`,
      headers: { ...made.headers },
      ...(made.body !== undefined && { body: made.body }),
    }));

const lists = fc.constantFrom('/Users', '/Groups', '/', '/.search', '/Schemas', '/ResourceTypes', '/ServiceProviderConfig');
const ones = fc.constantFrom('/Users/{user}', '/Groups/{group}', '/Users/{group}', '/Schemas/x', '/Users/nobody');

export const hostileRequests: Record<string, fc.Arbitrary<HostileRequest>> = {
  bodies: fc.oneof(
    to('POST', '/Users', user),
    to('PUT', '/Users/{user}', user),
    to('POST', '/Groups', group),
    to('PUT', '/Groups/{group}', group),
  ),
  patches: fc.oneof(to('PATCH', '/Users/{user}', patch), to('PATCH', '/Groups/{group}', patch)),
  filters: fc
    .tuple(fc.constantFrom('/Users', '/Groups'), query, headers)
    .map(([address, asked, all]) => ({ method: 'GET', path: `${address}?${asked}`, headers: { ...all } })),
  messages: fc.oneof(to('POST', '/Bulk', bulk), to('POST', fc.constantFrom('/.search', '/Users/.search', '/Groups/.search'), search)),
  addresses: to(fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'PROPFIND'), fc.oneof(anyPath, lists, ones)),
  anything: to(fc.constantFrom('POST', 'PUT', 'PATCH'), fc.oneof(lists, ones), fc.oneof(value, user, group, patch, bulk, search)),
};
