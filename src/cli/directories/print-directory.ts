import type { Directory, DirectoryWithHealth } from '../../client/index.ts';
import { toDisplayAddress } from '../../directory/webhook-address.ts';
import type { Printer } from '../print.ts';
import { shortTime, timeAndAge } from '../times.ts';

export function printDirectory(print: Printer, directory: Directory, { showSecrets }: { showSecrets: boolean }): void {
  const secret = (value: string) => (value === '' ? '' : showSecrets ? value : '•••••••• (--show-secrets shows it)');
  print.fields([
    ['Directory', directory.id],
    ['Name', directory.name],
    ['Tenant', directory.tenant],
    ['Product', directory.product],
    ['Type', directory.type],
    ['State', directory.deactivated ? 'deactivated' : 'active'],
    ['SCIM endpoint', directory.scim.endpoint],
    ['SCIM secret', secret(directory.scim.secret)],
    ['Google', googleState(directory)],
    ['Authorise at', consentAddress(directory)],
    ['Webhook', (showSecrets ? directory.webhook.endpoint : toDisplayAddress(directory.webhook.endpoint)) || 'none'],
    ['Webhook secret', secret(directory.webhook.secret)],
    ['Webhook log', directory.log_webhook_events ? 'everything that was sent is kept' : 'only what became of it is kept'],
  ]);
}

/** Where an administrator of the customer goes. */
const consentAddress = ({ id, google_authorization: state, google_authorization_url: url }: Directory) =>
  url === undefined || state === 'authorized' ? '' : `${url}?directoryId=${id}`;

function googleState({ google_authorization: state, google_authorization_error: error, google_domain: domain }: Directory): string {
  if (state === undefined) return '';
  return [domain, state === 'authorized' ? 'authorised' : 'not authorised yet', error].filter(Boolean).join(', ');
}

const ofLimit = ({ used, limit }: { used: number | null; limit: number }) =>
  used === null ? `at most ${limit}` : `${used} of at most ${limit}`;

export function printHealth(print: Printer, { health }: DirectoryWithHealth): void {
  const { delivery, last_refusal: refusal, sync } = health;
  print.line();
  print.fields([
    ['Last push', timeAndAge(health.last_push_at)],
    [
      'Last refusal',
      refusal ? `${timeAndAge(refusal.at)}: ${refusal.method} ${refusal.path} got ${refusal.status}, ${refusal.detail}` : 'none',
    ],
    ['Users', ofLimit(health.quotas.users)],
    ['Groups', ofLimit(health.quotas.groups)],
    ['Largest group', ofLimit(health.quotas.group_members)],
    ['Most groups of a member', ofLimit(health.quotas.groups_per_member)],
    ['Memberships', ofLimit(health.quotas.memberships)],
    ['Resource bytes', ofLimit(health.quotas.resource_bytes)],
    ['Undelivered bytes', ofLimit(health.quotas.undelivered_bytes)],
    ['History bytes', ofLimit(health.quotas.history_bytes)],
    ['Replays', ofLimit(health.quotas.replays)],
    ['Searches', ofLimit(health.quotas.searches)],
    ['Changes of an hour', health.quotas.hourly_changes && ofLimit(health.quotas.hourly_changes)],
    ['Last reading', sync && `${sync.state}, ${timeAndAge(sync.at)}${sync.error ? `: ${sync.error}` : ''}`],
    ['Delivery', [delivery.status, delivery.reason].filter(Boolean).join(': ')],
    ['Backlog', `${delivery.backlog} events`],
    ['Last delivered', timeAndAge(delivery.last_success_at)],
  ]);
  if (health.scim_secrets.length === 0) return;
  print.line();
  print.table(
    [
      { title: 'SCIM secret', value: ({ id }) => id },
      { title: 'Made', value: ({ created_at: at }) => shortTime(at) },
      { title: 'Valid until', value: ({ expires_at: at }) => shortTime(at) || 'for ever' },
      { title: 'Last used', value: ({ last_used_at: at }) => shortTime(at) || 'never' },
    ],
    health.scim_secrets,
  );
}
