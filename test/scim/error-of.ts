import { ScimError, type ScimRefusal } from '../../src/scim/errors.ts';

/** What is refused, in the protocol's terms; nothing if it is not. Anything else that is thrown is a bug. */
export function errorOf(attempt: () => unknown): ScimRefusal | undefined {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ScimError) return error.refusal;
    throw error;
  }
  return undefined;
}
