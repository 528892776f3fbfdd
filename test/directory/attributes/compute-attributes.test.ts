import { describe, expect, it } from '@jest/globals';
import { type AttributeSchema, toAttributeSchema } from '../../../src/directory/attributes/attribute.ts';
import { compileAttributes, maxStepsPerUser } from '../../../src/directory/attributes/compute-attributes.ts';
import type { AttributeMapping, Source } from '../../../src/directory/attributes/source.ts';
import type { DirectoryType } from '../../../src/directory/directories/directory.ts';
import { toUser as toGoogleUser } from '../../../src/providers/google/records.ts';
import type { JsonObject } from '../../../src/scim/json.ts';
import { newUser } from '../../../src/scim/user.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

interface Given {
  schema?: AttributeSchema;
  mapping?: AttributeMapping;
  type?: DirectoryType;
}
const compute = (resource: JsonObject, { schema = [], mapping = {}, type = 'okta-scim-v2' }: Given) =>
  compileAttributes({ type, schema, mapping })(newUser({ userName: 'ada', ...resource }).resource);

/** The value of one attribute. */
const valueOf = (resource: JsonObject, source: Source, attribute: Partial<AttributeSchema[number]> = {}) => {
  const schema = [{ name: 'it', type: 'string', multiValued: false, required: false, ...attribute } as const];
  return compute(resource, { schema, mapping: { it: source } }).customAttributes['it'];
};

describe('a path', () => {
  const user = {
    title: 'Engineer',
    [enterprise]: { department: 'Engines', manager: { value: '26', displayName: 'Byron' } },
    'urn:acme:2.0:User': { badge: { Number: 7 }, Site: 'London' },
    emails: [
      { value: 'home@acme.example', type: 'home' },
      { value: 'work@acme.example', type: 'work', primary: true },
    ],
    tags: ['a', 'b'],
    customSchemas: { Employment: { Grade: 'G7' } },
  };
  it.each([
    ['title', 'Engineer'],
    ['TITLE', 'Engineer'],
    [`${enterprise}:department`, 'Engines'],
    ['department', 'Engines'],
    [`${enterprise}:manager.displayName`, 'Byron'],
    ['urn:acme:2.0:User:site', 'London'],
    ['urn:acme:2.0:User:badge.number', '7'],
    ['emails[type eq "home"].value', 'home@acme.example'],
    ['emails', 'work@acme.example'],
    ['emails.value', 'work@acme.example'],
    ['tags', 'a'],
    ['customSchemas.employment.grade', 'G7'],
    ['nothing', undefined],
  ])('%s finds %s', (path, expected) => {
    expect(valueOf(user, { path })).toBe(expected);
  });

  it('never leaves the document', () => {
    expect(valueOf({}, { path: 'constructor.name' })).toBeUndefined();
    expect(valueOf({}, { path: '__proto__.toString' })).toBeUndefined();
  });
});

describe('a value', () => {
  it.each<[string, unknown, unknown]>([
    ['string', 'x', 'x'],
    ['string', '  ', undefined],
    ['string', 7, '7'],
    ['string', 'x'.repeat(1_001), undefined],
    ['number', '7.5', 7.5],
    ['number', ' -3 ', -3],
    ['number', '0x10', undefined],
    ['number', 'seven', undefined],
    ['boolean', 'True', true],
    ['boolean', 'no', undefined],
    ['date', '2026-01-31', '2026-01-31'],
    ['date', '2026-01-31T23:30:00-08:00', '2026-01-31'],
    ['date', '2026-02-30', undefined],
    ['date', '31.1.2026', undefined],
    ['object', { a: 1 }, { a: 1 }],
    ['object', 'x', undefined],
  ])('as a %s, %j is %j', (type, found, expected) => {
    expect(valueOf({ it: found }, { path: 'it' }, { type: type as 'string' })).toEqual(expected);
  });

  it('is the first that fits, of one place or of several', () => {
    expect(valueOf({ a: ['x', '7'] }, { path: 'a' }, { type: 'number' })).toBe(7);
    expect(valueOf({ b: 'B' }, { first_of: [{ path: 'a' }, { path: 'b' }, { constant: 'c' }] })).toBe('B');
    expect(valueOf({}, { first_of: [{ path: 'a' }, { constant: 'C' }], case: 'lower' })).toBe('c');
  });

  it('of a list is all that fit, up to 50', () => {
    expect(valueOf({ a: ['x', 7, '', null, { value: 'y' }] }, { path: 'a', case: 'upper' }, { multiValued: true })).toEqual([
      'X',
      '7',
      'Y',
    ]);
    const many = Array.from({ length: 300 }, (_, index) => `v${index}`);
    expect(valueOf({ a: many }, { path: 'a' }, { multiValued: true })).toEqual(many.slice(0, 50));
  });
});

it('a user has no more than 16 KB of attributes, and what does not fit is missing', () => {
  const schema = ['a', 'b', 'c'].map((name) => ({ name, type: 'object', multiValued: false, required: true }) as const);
  const mapping = Object.fromEntries(schema.map(({ name }) => [name, { path: name }]));
  const { customAttributes, missing } = compute({ a: { x: 'x' }, b: { x: 'x'.repeat(20_000) }, c: { x: 'z' } }, { schema, mapping });
  expect(customAttributes).toEqual({ a: { x: 'x' }, c: { x: 'z' } });
  expect(missing).toEqual(['b']);
});

const text = (name: string, required = false) => ({ name, type: 'string', multiValued: false, required }) as const;

it('the work for a user is limited: attributes that would take more are missing, and nothing is rejected', () => {
  const costly: Source = { first_of: Array.from({ length: 10 }, () => ({ path: 'emails[type co "x" and value co "y"].value' })) };
  const names = Array.from({ length: 20 }, (_, index) => `costly_${index}`);
  const schema = [text('first'), ...names.map((name) => text(name, true)), text('last', true)];
  const mapping = { first: { path: 'title' }, ...Object.fromEntries(names.map((name) => [name, costly])), last: { path: 'title' } };
  const emails = Array.from({ length: 1_000 }, (_, index) => ({ value: `${index}`, type: 'work' }));
  const { customAttributes, missing, steps } = compute({ title: 'Engineer', emails }, { schema, mapping });
  expect(customAttributes).toEqual({ first: 'Engineer' });
  expect(missing).toEqual([...names, 'last']);
  expect(steps).toBeGreaterThan(maxStepsPerUser);
  expect(steps).toBeLessThan(2 * maxStepsPerUser);
});

it('the same user has the same attributes each time, also where the work ends', () => {
  const big = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`name_${index}`, index]));
  const schema = Array.from({ length: 12 }, (_, index) => ({ ...text(`it_${index}`, true), type: 'object' as const }));
  const compiled = compileAttributes({
    type: 'okta-scim-v2',
    schema,
    mapping: Object.fromEntries(schema.map(({ name }) => [name, { path: 'big' }])),
  });
  const { resource } = newUser({ userName: 'ada', big });
  const [first, second] = [compiled(resource), compiled(resource)];
  expect(second).toEqual(first);
  expect(first.missing.length).toBeGreaterThan(0);
});

it('the names of a user are listed once, however many paths find nothing', () => {
  const schema = Array.from({ length: 40 }, (_, index) => text(`it_${index}`));
  const absent = Array.from({ length: 9 }, (_, index) => ({ path: `big.absent_${index}` }));
  const mapping = Object.fromEntries(schema.map(({ name }) => [name, { first_of: [...absent, { path: 'TITLE' }] }]));
  const big = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`name_${index}`, index]));
  const { customAttributes, steps } = compute({ title: 'Engineer', big }, { schema, mapping });
  expect(customAttributes).toEqual(Object.fromEntries(schema.map(({ name }) => [name, 'Engineer'])));
  expect(steps).toBeLessThan(10_000);
});

const predefined = toAttributeSchema(
  [
    'job_title',
    'department_name',
    'manager_email',
    'employee_number',
    'cost_center_name',
    'organization',
    'employee_type',
    'username',
    'emails',
  ].map((name) => ({ name })),
);

describe('without a mapping', () => {
  it('the predefined attributes come from the enterprise extension', () => {
    const resource = {
      title: 'Engineer',
      userType: 'Contractor',
      emails: [{ value: 'ada@acme.example', type: 'work' }],
      [enterprise]: {
        department: 'Engines',
        employeeNumber: '701',
        costCenter: '4130',
        organization: 'Acme',
        manager: { value: 'byron@acme.example' },
      },
    };
    for (const type of ['okta-scim-v2', 'azure-scim-v2', 'generic-scim-v2'] as const)
      expect(compute(resource, { schema: predefined, type }).customAttributes).toEqual({
        job_title: 'Engineer',
        department_name: 'Engines',
        manager_email: 'byron@acme.example',
        employee_number: '701',
        cost_center_name: '4130',
        organization: 'Acme',
        employee_type: 'Contractor',
        username: 'ada',
        emails: resource.emails,
      });
  });

  it('the ID of a manager is no address', () => {
    expect(compute({ [enterprise]: { manager: { value: '26118915' } } }, { schema: predefined }).customAttributes).toEqual({
      username: 'ada',
    });
  });

  it('those of Google come from the primary organization and from relations', () => {
    const { resource } = toGoogleUser({
      id: '1',
      primaryEmail: 'ada@acme.example',
      name: { fullName: 'Ada' },
      organizations: [
        { title: 'Former', primary: false },
        { title: 'Engineer', department: 'Engines', costCenter: '4130', name: 'Acme', description: 'Contractor', primary: true },
      ],
      relations: [{ type: 'manager', value: 'byron@acme.example' }],
      externalIds: [{ type: 'organization', value: '701' }],
    });
    const { customAttributes } = compute(resource, { schema: predefined, type: 'google' });
    expect(customAttributes).toEqual({
      job_title: 'Engineer',
      department_name: 'Engines',
      manager_email: 'byron@acme.example',
      employee_number: '701',
      cost_center_name: '4130',
      organization: 'Acme',
      employee_type: 'Contractor',
      username: 'ada@acme.example',
    });
  });

  it('null in the mapping removes a default', () => {
    expect(compute({ title: 'x' }, { schema: predefined, mapping: { job_title: null } }).customAttributes).toEqual({ username: 'ada' });
  });
});
