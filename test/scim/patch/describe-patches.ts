import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../src/scim/json.ts';
import { core, patch } from './patch.ts';

export const work = { type: 'work', value: 'w@x', primary: true };
export const home = { type: 'home', value: 'h@x' };
export const user: JsonObject = { schemas: [core], userName: 'ada', emails: [work, home], name: { givenName: 'Ada' } };

export type Case = [title: string, before: JsonObject, operations: object | object[], after: JsonObject];

/** The user after the operations is exactly this one, and the user before them is unchanged. */
export function describePatches(title: string, cases: Case[]): void {
  describe.each([title])('%s', () => {
    it.each(cases)('results in exactly the expected user: %s', (_name, before, operations, after) => {
      const kept = structuredClone(before);
      const patched = patch(before, ...[operations].flat());
      expect(patched).toEqual(after);
      expect(Object.keys(patched).sort()).toEqual(Object.keys(after).sort());
      expect(before).toEqual(kept);
    });
  });
}
