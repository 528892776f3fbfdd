import { ScimError, type ScimErrorDetails } from '../../src/scim/errors.ts';

/** What is refused, in the protocol's terms; nothing if it is not. Anything else that is thrown is a bug. */
export function errorOf(attempt: () => unknown): ScimErrorDetails | undefined {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ScimError) return error.details;
    throw error;
  }
  return undefined;
}
