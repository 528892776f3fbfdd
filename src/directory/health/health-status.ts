import type { ReportedStatus } from '../delivery/ports.ts';
import { type DirectoryType, isPulledType } from '../directories/directory.ts';
import { adviseOnFailure, type SeenFailure } from './advise-on-failure.ts';

/** The health of a directory in one word. If several apply, the first one of this list is shown. */
export const healthStatuses = [
  'deactivated',
  'disabled',
  'needs_authorization',
  'needs_confirmation',
  'failing',
  'paused',
  'stale',
  'waiting_for_first_push',
  'healthy',
] as const;
export type HealthStatus = (typeof healthStatuses)[number];

/** Statuses that need somebody to act. A directory that was deactivated, or that waits for its first push, does not. */
export const unhealthyStatuses = [
  'failing',
  'disabled',
  'needs_authorization',
  'needs_confirmation',
  'paused',
  'stale',
] as const satisfies HealthStatus[];

/** Values of the filter `health` of a list. */
export const healthSelections = [...healthStatuses, 'unhealthy'] as const;
export type HealthSelection = (typeof healthSelections)[number];

export const toSelectedStatuses = (selection: HealthSelection): readonly HealthStatus[] =>
  selection === 'unhealthy' ? unhealthyStatuses : [selection];

export interface HealthFacts {
  status: HealthStatus;
  type: DirectoryType;
  deliveryStatus: ReportedStatus;
  /** The last attempt to deliver, if it failed and is still kept. */
  lastFailure?: SeenFailure | undefined;
}

/** A sentence that says what to do. The API, the command line and the console show the same. */
export function adviseOn({ status, type, deliveryStatus, lastFailure }: HealthFacts): string {
  const isPulled = isPulledType(type);
  switch (status) {
    case 'deactivated':
      return isPulled
        ? 'Activate the directory to sync it again.'
        : 'Activate the directory to accept requests of the identity provider again.';
    case 'disabled':
      return deliveryStatus === 'misconfigured'
        ? 'Correct the webhook URL, as the reason explains; delivery then continues automatically.'
        : 'Fix the receiver, as the reason explains, then resume the delivery from the backlog, or from now to skip the waiting events.';
    case 'needs_authorization':
      return type === 'entra'
        ? 'Let an administrator of the Entra tenant give consent at entra_authorization_url.'
        : 'Let an administrator of the Google Workspace authorize the directory at google_authorization_url, or correct the service account.';
    case 'needs_confirmation':
      return type === 'csv'
        ? 'Check what the last sync run would remove, then confirm the run, or cancel it and upload corrected files.'
        : 'Check what the last sync run would remove, then confirm the run, or cancel it and correct the groups and users at the provider.';
    case 'failing':
      return deliveryStatus === 'failing'
        ? `${adviseOnFailure(lastFailure ?? { outcome: 'http_error' })}; Rollcall keeps the events in order and retries automatically.`
        : type === 'csv'
          ? 'Correct what the error of the last sync run names, and upload the files again.'
          : 'Correct what the error of the last sync run names; the next sync tries again.';
    case 'paused':
      return 'Resume the delivery when the receiver is ready; events wait in order until then.';
    case 'stale':
      return isPulled
        ? type === 'csv'
          ? 'Check why no files have come for this long, or why the last run with them failed.'
          : 'Check why no sync run has succeeded for this long: the sync schedule, and the error of the last run.'
        : 'Check at the identity provider that provisioning is on, and that it has the SCIM endpoint and a valid secret.';
    case 'waiting_for_first_push':
      return isPulled
        ? type === 'csv'
          ? 'Create an upload token, and let a job upload the files with it.'
          : 'Start a sync, or wait for the next one of the schedule.'
        : 'Enter the SCIM endpoint and secret at the identity provider, assign users, and start provisioning there.';
    case 'healthy':
      return 'Nothing to do.';
  }
}

/** `status`, and what to do about it. */
export interface HealthSummary {
  status: HealthStatus;
  advice: string;
}
