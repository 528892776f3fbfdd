import { ScimError, type ScimErrorDetails } from '../../src/scim/errors.ts';

/** The SCIM error that this throws, if any. Any other error is a bug. */
export function errorOf(attempt: () => unknown): ScimErrorDetails | undefined {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ScimError) return error.details;
    throw error;
  }
  return undefined;
}
