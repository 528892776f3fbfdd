import type { Directory, DirectoryWithHealth } from '../../client/index.ts';
import { toDisplayAddress } from '../../directory/delivery/webhook-settings.ts';
import { pluralize, shortTime, timeAndAge } from './format.ts';
import type { Printer } from './printer.ts';

export function printDirectory(print: Printer, directory: Directory, { showSecrets }: { showSecrets: boolean }): void {
  const secret = ({ secret: value, secret_hint: hint }: { secret: string | null; secret_hint?: string }) => {
    if (value === null) return `•••••••• (${hint}; the service does not show it)`;
    return value === '' || showSecrets ? value : '•••••••• (use --show-secrets to show it)';
  };
  print.fields([
    ['Directory', directory.id],
    ['Name', directory.name],
    ['Tenant', directory.tenant],
    ['Product', directory.product],
    ['Type', directory.type],
    ['Deactivated', directory.deactivated ? 'yes' : 'no'],
    ['Deletion', directory.state === 'deleting' ? 'waits for the delivery of its events' : ''],
    ['SCIM endpoint', directory.scim.endpoint],
    ['SCIM secret', secret(directory.scim)],
    ['Accepts it', directory.accept_scim_secret === false ? 'no, only access tokens of OAuth clients' : ''],
    ['Google', googleState(directory)],
    ['Entra', entraState(directory)],
    ['Authorize at', consentUrl(directory)],
    ['Webhook', (showSecrets ? directory.webhook.endpoint : toDisplayAddress(directory.webhook.endpoint)) || 'none'],
    ['Webhook secret', secret(directory.webhook)],
    ['Webhook log', directory.log_webhook_events ? 'payloads and outcomes' : 'outcomes only'],
    ['User states', directory.user_state_events ? 'events of their own' : ''],
    ['When deleted', directory.on_directory_delete === 'events' ? 'events for users and groups first' : ''],
    [
      'Inactive users',
      [directory.inactive_users === 'delete' ? 'deleted in events' : '', directory.inactive_users_change ? 'the change is in progress' : '']
        .filter(Boolean)
        .join('; '),
    ],
  ]);
}

const hidden = (secret: string | null | undefined) => (secret === '' ? '' : null);

/** As the service shows a directory to a key that may not read secrets. */
export function hideSecrets<Shown extends Directory>(directory: Shown): Shown {
  return {
    ...directory,
    scim: { ...directory.scim, secret: hidden(directory.scim.secret) },
    webhook: { ...directory.webhook, secret: hidden(directory.webhook.secret) },
    ...(directory.google_access_token !== undefined && { google_access_token: hidden(directory.google_access_token) }),
    ...(directory.google_refresh_token !== undefined && { google_refresh_token: hidden(directory.google_refresh_token) }),
  };
}

/** Where an administrator of the customer gives consent. */
function consentUrl({ id, ...directory }: Directory): string {
  const state = directory.google_authorization ?? directory.entra_authorization;
  const url = directory.google_authorization_url ?? directory.entra_authorization_url;
  return url === undefined || state === 'authorized' ? '' : `${url}?directory_id=${id}`;
}

function entraState({ entra_authorization: state, entra_authorization_error: error, entra_tenant_id: tenant }: Directory): string {
  if (state === undefined) return '';
  return [tenant, state === 'authorized' ? 'authorized' : 'not authorized yet', error].filter(Boolean).join(', ');
}

function googleState({ google_authorization: state, google_authorization_error: error, google_domain: domain }: Directory): string {
  if (state === undefined) return '';
  return [domain, state === 'authorized' ? 'authorized' : 'not authorized yet', error].filter(Boolean).join(', ');
}

const withLimit = ({ used, limit }: { used: number | null; limit: number }) =>
  `${used === null ? '' : `${used.toLocaleString('en')} `}(limit: ${limit.toLocaleString('en')})`;

export function printHealth(print: Printer, { health }: DirectoryWithHealth, { wide }: { wide?: boolean | undefined }): void {
  const { delivery, last_error: lastError, sync, quotas } = health;
  print.line();
  print.fields([
    ['Health', health.status],
    ['Advice', health.status === 'healthy' ? '' : health.advice],
    ['Last request', timeAndAge(health.last_push_at)],
    [
      'Last error',
      lastError
        ? `${timeAndAge(lastError.at)}: ${lastError.method} ${lastError.path} returned ${lastError.status}, ${lastError.detail}`
        : 'none',
    ],
    ['Users', withLimit(quotas.users)],
    ['Groups', withLimit(quotas.groups)],
    [
      'Users without a required attribute',
      health.users_missing_attributes > 10_000 ? 'more than 10,000' : health.users_missing_attributes || '',
    ],
    ['Largest group', withLimit(quotas.group_members)],
    ['Most groups per member', withLimit(quotas.groups_per_member)],
    ['Memberships', withLimit(quotas.memberships)],
    ['Resource bytes', withLimit(quotas.resource_bytes)],
    ['Undelivered bytes', withLimit(quotas.undelivered_bytes)],
    ['History bytes', withLimit(quotas.history_bytes)],
    ['Staged bytes', withLimit(quotas.staged_bytes)],
    ['Replays', withLimit(quotas.replays)],
    ['Searches', withLimit(quotas.searches)],
    ['Changes per hour', quotas.hourly_changes && withLimit(quotas.hourly_changes)],
    ['Only deletions', health.only_deletions],
    ['Last sync', sync && `${sync.state}, ${timeAndAge(sync.at)}${sync.error ? `: ${sync.error}` : ''}`],
    ['Delivery', [delivery.status, delivery.reason].filter(Boolean).join(': ')],
    ['Failing since', delivery.failing_since && timeAndAge(delivery.failing_since)],
    ['Failures in a row', delivery.consecutive_failures === 0 ? '' : delivery.consecutive_failures],
    ['Last failure', delivery.last_error && `${delivery.last_error.message} (attempt ${delivery.last_error.attempt_id})`],
    ['Next attempt', delivery.next_attempt_at && timeAndAge(delivery.next_attempt_at)],
    ['Backlog', pluralize(delivery.backlog, 'event')],
    ['Last delivered', timeAndAge(delivery.last_success_at)],
  ]);
  if (health.scim_secrets.length === 0) return;
  print.line();
  print.table(
    [
      { title: 'SCIM secret', value: ({ id }) => id },
      { title: 'Created', value: ({ created_at: at }) => shortTime(at), wideOnly: true },
      { title: 'Expires', value: ({ expires_at: at }) => shortTime(at) || 'never' },
      { title: 'Last used', value: ({ last_used_at: at }) => shortTime(at) || 'never' },
    ],
    health.scim_secrets,
    { wide },
  );
}
