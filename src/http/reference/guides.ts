import type { TagName } from '../tags.ts';

/** The pages of the repository's documentation about a tag, and about webhooks. */
export const guides: Record<TagName | 'Webhooks', string[]> = {
  Directories: ['docs/start/quickstart.md', 'docs/guides/providers/README.md'],
  Users: ['docs/guides/users-table.md'],
  Groups: ['docs/guides/users-table.md'],
  Events: ['docs/guides/receiving-events.md', 'docs/reference/events.md'],
  Deliveries: ['docs/guides/receiving-events.md', 'docs/operate/troubleshoot.md'],
  Replays: ['docs/guides/users-table.md'],
  'Webhook events': ['docs/start/migrating-from-polis.md'],
  Syncs: ['docs/guides/google.md'],
  Google: ['docs/guides/google.md'],
  Stats: ['docs/operate/monitor.md'],
  Limits: ['docs/operate/rate-limits.md'],
  Health: ['docs/operate/monitor.md'],
  Docs: ['docs/reference/api.md', 'docs/reference/client.md'],
  SCIM: ['docs/reference/scim.md', 'docs/guides/providers/README.md'],
  Webhooks: ['docs/guides/verifying-webhooks.md', 'docs/reference/events.md'],
};
