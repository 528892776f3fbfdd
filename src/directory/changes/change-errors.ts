type ChangeErrorCode =
  | 'not_found'
  | 'directory_deleted'
  | 'id_taken'
  | 'name_taken'
  | 'self_membership'
  | 'version_mismatch'
  | 'dependency_failed'
  | 'quota_reached'
  | 'backlog_full'
  | 'expired'
  | 'lost'
  | 'internal';

/** Why the domain rejects a change. What is wrong with the request itself is a SCIM error. `http/scim/` gives each code its status. */
export interface ChangeError {
  code: ChangeErrorCode;
  detail: string;
  /** The exceeded quota of the directory; not part of the response. */
  quota?: string;
}

export class ChangeRejectedError extends Error {
  override readonly name = 'ChangeRejectedError';
  readonly error: ChangeError;
  constructor(error: ChangeError) {
    // A Bulk request may throw a thousand: stack traces would take too long.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(error.detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.error = error;
  }
}

const nameTaken = (resource: string, attribute: string): ChangeError => ({
  code: 'name_taken',
  detail: `A ${resource} with this ${attribute} exists already.`,
});

export const userNotFound: ChangeError = { code: 'not_found', detail: 'There is no user with this ID.' };
export const groupNotFound: ChangeError = { code: 'not_found', detail: 'There is no group with this ID.' };
export const idTaken: ChangeError = { code: 'id_taken', detail: 'A user or group with this ID exists already.' };
export const userNameTaken = nameTaken('user', 'userName');
export const userExternalIdTaken = nameTaken('user', 'externalId');
export const displayNameTaken = nameTaken('group', 'displayName');
export const groupExternalIdTaken = nameTaken('group', 'externalId');
export const directoryGone: ChangeError = { code: 'directory_deleted', detail: 'The directory was deleted.' };

export const selfMembership: ChangeError = {
  code: 'self_membership',
  detail: 'A group cannot be a member of itself: leave its own id and externalId (in a bulk request, its own bulkId) out of members.',
};

export const versionMismatch = (version: number): ChangeError => ({
  code: 'version_mismatch',
  detail: `The resource is at version W/"${version}", which does not match If-Match: read it again and repeat the change.`,
});

export const dependencyFailed: ChangeError = {
  code: 'dependency_failed',
  detail: 'A resource that this operation refers to by bulkId was not created: see the response to that operation.',
};

/** It may have been applied already: its outcome is too old to be still stored. */
export const changeExpired: ChangeError = { code: 'expired', detail: 'The change waited too long and was not applied; send it again.' };
export const changeLost: ChangeError = { code: 'lost', detail: 'The change was lost before it was applied; send it again.' };
export const unexpectedFailure: ChangeError = { code: 'internal', detail: 'Internal error; see the log of the service.' };
