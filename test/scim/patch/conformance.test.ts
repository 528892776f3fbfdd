import { expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/scim/json.ts';
import { applyPatch } from '../../../src/scim/patch/apply-patch.ts';
import type { Attribute } from '../../../src/scim/schema/attribute.ts';
import { userType } from '../../../src/scim/schema/resource-types.ts';
import { newUser, readUser } from '../../../src/scim/user.ts';
import { enterprise, operationsOf } from './patch.ts';

const writable = (attributes: Attribute[]) => attributes.filter(({ mutability }) => mutability === 'readWrite');

/** Values that scim2-tester makes up: text that is not a canonical value, invalid certificates. */
function makeUp(attribute: Attribute, seed: number): unknown {
  const { type, multiValued, name, subAttributes } = attribute;
  const text = `88c2${name}${seed}`;
  const value =
    type === 'complex'
      ? Object.fromEntries(writable(subAttributes!).map((sub) => [sub.name, makeUp(sub, seed)]))
      : type === 'boolean'
        ? seed % 2 === 0
        : type === 'binary'
          ? Buffer.from(text).toString('base64')
          : text;
  return multiValued ? [value] : value;
}

const makeUpAll = (attributes: Attribute[], seed: number) =>
  Object.fromEntries(writable(attributes).map((attribute) => [attribute.name, makeUp(attribute, seed)]));

const paths: [path: string, find: (resource: JsonObject) => unknown, make: (seed: number) => unknown][] = [
  ...writable(userType.schema.attributes).map((attribute): (typeof paths)[number] => [
    attribute.name,
    (resource) => resource[attribute.name],
    (seed) => makeUp(attribute, seed),
  ]),
  [enterprise, (resource) => resource[enterprise], (seed) => makeUpAll(userType.extensions[0]!.attributes, seed)],
  ...writable(userType.extensions[0]!.attributes).map((attribute): (typeof paths)[number] => [
    `${enterprise}:${attribute.name}`,
    (resource) => (resource[enterprise] as JsonObject | undefined)?.[attribute.name],
    (seed) => makeUp(attribute, seed),
  ]),
];

const apply = (resource: JsonObject, operation: object) => applyPatch(resource, operationsOf([operation]), userType);

it('made-up values are returned unchanged', () => {
  const sent = { ...makeUpAll(userType.schema.attributes, 1), [enterprise]: makeUpAll(userType.extensions[0]!.attributes, 1) };
  const { resource } = newUser(readUser({ ...sent, password: '88c2' }));
  expect(resource).toEqual({ ...sent, schemas: [userType.schema.id, enterprise] });
});

it.each(paths)('%s is added, replaced, and removed', (path, find, make) => {
  const { resource } = newUser(readUser(makeUpAll(userType.schema.attributes.slice(0, 1), 0)));
  const added = apply(resource, { op: 'add', path, value: make(1) });
  expect(find(added)).toEqual(make(1));
  const replaced = apply(added, { op: 'replace', path, value: make(2) });
  expect(find(replaced)).toEqual(make(2));
  expect(find(apply(resource, { op: 'replace', value: { [path]: make(2) } }))).toEqual(make(2));
  if (path === 'userName') return;
  const removed = apply(replaced, { op: 'remove', path });
  expect(find(removed)).toBeUndefined();
  expect({ active: true, ...removed }).toEqual(resource);
});
