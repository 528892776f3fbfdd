import { uniqueness, type ScimErrorDetails } from '../../scim/errors.ts';

export const userNotFound: ScimErrorDetails = { status: 404, detail: 'There is no user with this ID.' };
export const groupNotFound: ScimErrorDetails = { status: 404, detail: 'There is no group with this ID.' };
export const idTaken = uniqueness('A user or group with this ID exists already.');
export const userNameTaken = uniqueness('A user with this userName exists already.');
export const userExternalIdTaken = uniqueness('A user with this externalId exists already.');
export const displayNameTaken = uniqueness('A group with this displayName exists already.');
export const groupExternalIdTaken = uniqueness('A group with this externalId exists already.');
export const directoryGone: ScimErrorDetails = { status: 404, detail: 'The directory was deleted.' };

export const selfMembership: ScimErrorDetails = {
  status: 400,
  scimType: 'invalidValue',
  detail: 'A group cannot be a member of itself: leave its own id and externalId (in a bulk request, its own bulkId) out of members.',
};

export const versionMismatch = (version: number): ScimErrorDetails => ({
  status: 412,
  detail: `The resource is at version W/"${version}", which If-Match does not name: read it again and repeat the change.`,
});

export const dependencyFailed: ScimErrorDetails = {
  status: 400,
  scimType: 'invalidValue',
  detail: 'A resource that this operation refers to by bulkId was not created: see the response to that operation.',
};
