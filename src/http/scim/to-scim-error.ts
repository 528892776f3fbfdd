import type { ChangeError } from '../../directory/changes/change-errors.ts';
import { AppError } from '../../errors.ts';
import type { ScimErrorDetails } from '../../scim/errors.ts';
import { statusOf } from '../server/errors.ts';

/** Gives an error of the domain its status and `scimType`; what the protocol rejects has both. */
export function toScimError(error: AppError | ChangeError | ScimErrorDetails): ScimErrorDetails {
  if (error instanceof AppError) {
    const { code, message, scimType } = error;
    return { status: statusOf[code], ...(code === 'invalid_request' && { scimType: scimType ?? 'invalidSyntax' }), detail: message };
  }
  return 'code' in error ? { ...byCode[error.code], detail: error.detail } : error;
}

const byCode: Record<ChangeError['code'], Omit<ScimErrorDetails, 'detail'>> = {
  not_found: { status: 404 },
  directory_deleted: { status: 404 },
  id_taken: { status: 409, scimType: 'uniqueness' },
  name_taken: { status: 409, scimType: 'uniqueness' },
  self_membership: { status: 400, scimType: 'invalidValue' },
  version_mismatch: { status: 412 },
  dependency_failed: { status: 400, scimType: 'invalidValue' },
  // Identity providers show the message to their administrator and do not retry immediately, as they would after 429 or 5xx. A 409 would mean
  // that the resource exists.
  quota_reached: { status: 403 },
  // The error goes away when the webhook accepts events again, and identity providers retry after 503. After 403 they would give up; 429 would
  // mean that their rate is too high.
  backlog_full: { status: 503 },
  expired: { status: 503 },
  lost: { status: 503 },
  internal: { status: 500 },
};
