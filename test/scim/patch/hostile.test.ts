import { describe, expect, it } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { newGroup, readGroup } from '../../../src/scim/group.ts';
import { ScimError } from '../../../src/scim/errors.ts';
import type { JsonObject } from '../../../src/scim/json.ts';
import { applyPatch } from '../../../src/scim/patch/apply-patch.ts';
import { readPatch } from '../../../src/scim/patch/read-patch.ts';
import type { ResourceType } from '../../../src/scim/schema/attribute.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';
import { readUser } from '../../../src/scim/user.ts';
import { core, enterprise, message } from './patch.ts';
import { randomRuns } from '../../support/random-runs.ts';

const shop = 'urn:example:shop:2.0:User';
const ofUsers =
  'userName USERNAME active name name.givenName title emails Emails emails.value roles x509Certificates manager manager.value';
const ofValues = 'value type primary display givenName kind';
const ofAll = 'schemas id meta password externalId displayName members department shoe Shoe pets';
const ofObjects = '__proto__ constructor prototype toString __proto__.polluted constructor.prototype hasOwnProperty';
const names = `${ofUsers} ${ofValues} ${ofAll} ${ofObjects} a.b.c [`
  .split(' ')
  .concat(
    ['emails[type eq "work"].value', 'emails[value eq "a" and primary eq true]', 'pets[kind eq "a"].name', '', ' '],
    [core, enterprise, `${enterprise}:department`, `${enterprise}:manager`, shop, `${shop}:tier`],
  );
const scalar = fc.oneof(
  fc.constantFrom('a', 'work', 'True', 'FALSE', '', '2026-01-31T12:00:00Z'),
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
  fc.string(),
);
const asSent = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const { json: anything } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, fc.string()), tie('json'), { maxKeys: 4 }),
  ),
}));
const json = anything.map(asSent);
/** In other places the same URN may name an extension, or an attribute of another one, which is ambiguous. */
const isClear = (sent: unknown) =>
  !/"urn:example:shop:2\.0:User":[^{]/.test(JSON.stringify(sent)) && !namesManagerTwice(JSON.stringify(sent));
/** By its full and its short name, once as an object and once as an id, so that one adds to the result of the other. */
const namesManagerTwice = (text: string) => text.includes(':manager":') && text.includes('"manager":');
const body = fc
  .dictionary(fc.constantFrom(...names), json, { maxKeys: 6 })
  .map((rest) => asSent({ userName: 'ada', ...rest, schemas: null }) as JsonObject)
  .filter(isClear);
const operation = fc
  .record({ op: fc.constantFrom('add', 'Replace', 'remove'), path: fc.constantFrom(...names), value: json }, { requiredKeys: ['op'] })
  .map(asSent)
  .filter(isClear);

/** The same unknown name in the resource and below the core URN: an attribute of an extension, and an extension. */
const inBothPlaces = [{}, { a: 1 }, 1, null].map((inner) => ({
  userName: 'ada',
  [core]: { [`${shop}:tier`]: inner },
  [`${shop}:tier`]: 0,
}));

/** Returns undefined for a rejection. Any other error, a changed input or a result that is not JSON is a bug. */
function attempt<Result>(run: () => Result, ...inputs: unknown[]): Result | undefined {
  const before = JSON.stringify(inputs);
  const result = orRejected(run);
  if (JSON.stringify(inputs) !== before) throw new Error('The input was changed.');
  if (result !== undefined && !isDeepStrictEqual(asSent(result), result)) throw new Error('The result is no JSON.');
  return result;
}

function orRejected<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}

const readOperations = (wishes: unknown[], type: ResourceType = userType) =>
  attempt(() => readPatch(message(...wishes), type), wishes)?.operations;

describe('arbitrary JSON', () => {
  it('is read as a user or rejected, and the result is read as itself', () => {
    fc.assert(
      fc.property(fc.oneof(body, json.filter(isClear)), (sent) => {
        const resource = attempt(() => readUser(sent), sent);
        expect(resource && readUser(resource)).toEqual(resource);
      }),
      { numRuns: randomRuns(800), examples: inBothPlaces.map((sent): [unknown] => [sent]) },
    );
  });

  it('is read as a group or rejected', () => {
    fc.assert(
      fc.property(fc.oneof(body, json), (sent) => {
        const read = attempt(() => ({ members: [], resource: readGroup(sent).resource }), sent);
        attempt(() => newGroup(readGroup(sent).resource).displayName, sent);
        expect(read?.resource ?? {}).not.toHaveProperty('members');
      }),
      { numRuns: randomRuns(400) },
    );
  });

  it('is a PATCH or rejected, and a PATCH is idempotent', () => {
    fc.assert(
      fc.property(body, fc.oneof(operation, json.filter(isClear)), (sent, wish) => {
        const resource = attempt(() => readUser(sent), sent);
        const operations = readOperations([wish]);
        const patched = resource && operations && attempt(() => applyPatch(resource, operations, userType), resource, operations);
        expect(patched && applyPatch(patched, operations, userType)).toEqual(patched);
      }),
      {
        numRuns: randomRuns(1_500),
        examples: inBothPlaces.map(({ userName, ...value }): [JsonObject, unknown] => [{ userName }, { op: 'add', value }]),
      },
    );
  });

  it('is a list of operations or rejected', () => {
    fc.assert(
      fc.property(body, fc.array(operation, { maxLength: 12 }), (sent, wishes) => {
        const resource = attempt(() => readUser(sent), sent);
        const operations = readOperations(wishes);
        const patched = resource && operations && attempt(() => applyPatch(resource, operations, userType), resource, operations);
        readOperations(wishes, groupType);
        expect(patched ?? { schemas: [] }).toHaveProperty('schemas');
      }),
      { numRuns: randomRuns(400) },
    );
  });
});

it('rejects an unknown name that is given twice with different values, and accepts it with the same', () => {
  const [sent] = inBothPlaces;
  expect(() => readUser(sent)).toThrow('is a duplicate key');
  expect(() => readPatch(message({ op: 'add', value: sent }), userType)).toThrow('is a duplicate key');
  expect(readUser({ ...sent, [core]: { [`${shop}:TIER`]: 0 } })).toMatchObject({ userName: 'ada', [shop]: { TIER: 0 } });
});
