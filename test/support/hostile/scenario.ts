import type { Attack } from './attack.ts';

export interface Scenario {
  /** A present-tense sentence about what the attacker does. */
  name: string;
  /** Fields of the attacker's directory. */
  directory?: Record<string, unknown>;
  /** Returns a note for the table. Throws on problems that the general checks do not find. */
  run(attack: Attack): Promise<string | void>;
}

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const messages = 'urn:ietf:params:scim:api:messages:2.0';

export const newUser = (userName: string, more: object = {}) => ({ schemas: [userSchema], userName, ...more });
export const newGroup = (displayName: string, more: object = {}) => ({ schemas: [groupSchema], displayName, ...more });
export const patch = (...operations: object[]) => ({ schemas: [`${messages}:PatchOp`], Operations: operations });
export const bulk = (...operations: object[]) => ({ schemas: [`${messages}:BulkRequest`], Operations: operations });
/** A Bulk request that creates groups, `bulkId:g0` and so on. */
export const bulkOfGroups = (count: number, make: (index: number) => object) =>
  bulk(...times(count, (index) => ({ method: 'POST', path: '/Groups', bulkId: `g${index}`, data: make(index) })));
/** Made before an attack, so that it takes no processor time during it. */
export const toBody = (value: object) => Buffer.from(JSON.stringify(value));
export const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const emails = (count: number) => times(count, (index) => ({ value: `mail-${index}@example.com`, type: 'work' }));
