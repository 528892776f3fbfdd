import type { Result } from '../../src/directory/changes/mutation.ts';
import { toScimError } from '../../src/http/scim/to-scim-error.ts';

/** The status that the identity provider gets, if the change was rejected. */
export const statusOf = ({ error }: Pick<Result, 'error'>): number | undefined => error && toScimError(error).status;
