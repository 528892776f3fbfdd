import fc from 'fast-check';

/** A request that anybody with a directory's secret can send. `{user}` and `{group}` in a path exist. */
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
/** Other values are rare, so that most requests pass the first check: a single NUL fails it. */
const mostly = <Value>(weight: number, expected: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight, arbitrary: expected }, { weight: 1, arbitrary: other });

const name = mostly(30, fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 12 }));
const texts = ['', ' ', 'work', 'True', 'false', 'null', '2819', '😀', "'; drop table users; --", '%', '_', '\\', '"', '🏴'.repeat(60)];
const text = mostly(
  60,
  fc.oneof(fc.constantFrom(...texts, '{user}', '{group}'), fc.string({ unit: 'grapheme', maxLength: 12 })),
  fc.oneof(fc.constantFrom('\0', '\ud800', 'x'.repeat(600)), fc.string({ unit: 'binary', maxLength: 20 })),
);
const number = mostly(20, fc.oneof(fc.constantFrom(0, -0, 1, -1, 2 ** 53), fc.integer()), fc.constantFrom(1e21, 1e308, 1e-300));
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 3 }) },
  ),
}));

const expected = <Value>(given: fc.Arbitrary<Value>) => mostly<unknown>(25, given, value);

/** Known names usually have values of the expected type. */
const likely = (needed: Record<string, fc.Arbitrary<unknown>>, optional: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc
    .tuple(
      mostly(6, fc.constant({}), fc.dictionary(name, value, { maxKeys: 3 })),
      fc.record(optional, { requiredKeys: [] }),
      fc.record(needed),
    )
    .map((parts): unknown => Object.assign({}, ...parts));

const valued = fc.array(likely({ value: expected(text) }, { type: expected(text), primary: expected(fc.boolean()) }), { maxLength: 3 });
const flag = fc.constantFrom<unknown>(true, false, 'True', 'False', [false], '');

const user = likely(
  { schemas: expected(fc.constant([`${core}:User`])), userName: expected(fc.uuid()) },
  {
    externalId: expected(fc.uuid()),
    active: expected(flag),
    name: expected(likely({}, { givenName: expected(text), familyName: expected(text) })),
    emails: expected(valued),
    [enterprise]: expected(likely({}, { department: expected(text), manager: expected(text) })),
  },
);
const group = likely(
  { schemas: expected(fc.constant([`${core}:Group`])), displayName: expected(fc.uuid()) },
  { members: expected(valued) },
);

const quoted = text.map((one) => JSON.stringify(one));
const attribute = mostly(
  20,
  fc.constantFrom(
    'userName',
    'displayName',
    'externalId',
    'active',
    'name.givenName',
    'emails',
    'emails.value',
    'members.value',
    'meta.created',
    'id',
    'custom',
    '__proto__',
    'constructor.name',
    `${enterprise}:manager`,
    'manager.value',
  ),
  fc.tuple(name, fc.option(name)).map(([whole, sub]) => (sub === null ? whole : `${whole}.${sub}`)),
);
const operator = mostly(40, fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'EQ'), fc.constantFrom('is', ''));
const literal = mostly(
  20,
  fc.oneof(quoted, fc.constantFrom('true', 'False', 'null', '1', '"2026-01-31T12:00:00Z"', '"{user}"')),
  fc.oneof(text, fc.constantFrom('"', '"\\q"', "'a'", '2026-01-31T12:00:00Z', '"9999999-01-01"')),
);

/** Mostly grammatical, so that filters get further than the parser. */
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 4, arbitrary: fc.tuple(attribute, operator, literal).map((words) => words.join(' ')) },
    { weight: 1, arbitrary: fc.tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter')).map((words) => words.join(' ')) },
    { weight: 1, arbitrary: tie('filter').map((inner) => `not (${inner})`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('emails', 'members', 'name', 'groups'), tie('filter'))
        .map(([outer, inner]) => `${outer}[${inner}]`),
    },
  ),
}));
const anyFilter = fc.oneof({ weight: 20, arbitrary: filter }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) });

const path = fc.oneof(
  attribute,
  fc.tuple(name, anyFilter, fc.constantFrom('', '.value', '.type', '.__proto__')).map(([outer, inner, sub]) => `${outer}[${inner}]${sub}`),
);
const change = fc.oneof(
  fc.tuple(fc.constantFrom('displayName', 'title', 'name.givenName', 'custom', '__proto__', `${enterprise}:department`), text),
  fc.tuple(fc.constant('active'), flag),
  fc.tuple(fc.constantFrom('emails', 'roles', 'phoneNumbers', 'members', 'constructor'), valued),
  fc.tuple(fc.constantFrom('manager', `${enterprise}:manager`), mostly<unknown>(3, text, valued)),
  fc.tuple(
    quoted.map((type) => `emails[type eq ${type}].value`),
    text,
  ),
  fc.tuple(
    quoted.map((member) => `members[value eq ${member} or display sw ${member}]`),
    fc.constant(undefined),
  ),
  fc.tuple(
    fc.constant(undefined),
    likely({}, { active: flag, 'name.familyName': text, displayName: text, emails: valued, nickName: value }),
  ),
);
const verb = fc.constantFrom('add', 'replace', 'remove', 'Add', 'Replace', 'REMOVE');
const operation = mostly<unknown>(
  12,
  fc.tuple(verb, change).map(([op, [where, what]]) => ({ op, path: where, value: what })),
  likely({ op: expected(verb), path: expected(path), value }),
);
const patch = likely({
  schemas: expected(fc.constant([`${messages}:PatchOp`])),
  Operations: expected(fc.array(operation, { minLength: 1, maxLength: 3 })),
});

const bulk = likely(
  {
    schemas: expected(fc.constant([`${messages}:BulkRequest`])),
    Operations: expected(
      fc.array(
        likely(
          {
            method: expected(fc.constantFrom('POST', 'POST', 'PUT', 'PATCH', 'DELETE')),
            path: expected(fc.constantFrom('/Users', '/Groups', '/Users/{user}', '/Groups/{group}', '/Users/bulkId:a', '/Groups/bulkId:b')),
            data: fc.oneof(
              user,
              group,
              patch,
              fc.constant({ displayName: 'circle', members: [{ value: 'bulkId:a' }, { value: 'bulkId:b' }] }),
            ),
          },
          { bulkId: expected(fc.constantFrom('a', 'b', 'c', '__proto__')), version: expected(fc.constantFrom('W/"1"', '*')) },
        ),
        { maxLength: 5 },
      ),
    ),
  },
  { failOnErrors: expected(fc.integer({ min: 1, max: 3 })) },
);

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
const search = likely(
  { schemas: expected(fc.constant([`${messages}:SearchRequest`])) },
  {
    filter: expected(anyFilter),
    sortBy: expected(attribute),
    attributes: expected(fc.array(attribute, { maxLength: 3 })),
    count: expected(fc.integer()),
    startIndex: expected(fc.integer()),
    cursor: expected(fc.constant('')),
  },
);

/** Complete, cut off, or with an inserted piece. */
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
    .map(([address, parameters, all]) => ({ method: 'GET', path: `${address}?${parameters}`, headers: { ...all } })),
  messages: fc.oneof(to('POST', '/Bulk', bulk), to('POST', fc.constantFrom('/.search', '/Users/.search', '/Groups/.search'), search)),
  addresses: to(fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'PROPFIND'), fc.oneof(anyPath, lists, ones)),
  anything: to(fc.constantFrom('POST', 'PUT', 'PATCH'), fc.oneof(lists, ones), fc.oneof(value, user, group, patch, bulk, search)),
};
