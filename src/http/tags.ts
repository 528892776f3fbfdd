/** In reading order. */
export const tags = {
  Directories: 'The connections of tenants and products to identity providers.',
  Users: 'The users in the directories.',
  Groups: 'The groups in the directories, and their members.',
  Events: 'The event feed: every change, in order, to fetch instead of receiving webhooks.',
  Deliveries: "Deliveries to a directory's webhook: state, log, retries, tests and secrets.",
  Replays: 'Sending events again.',
  'Webhook events': 'The delivery log in the form of Ory Polis.',
  Syncs: 'Sync runs of directories that are pulled from Google Workspace.',
  Google: 'Authorization of directories of type `google`.',
  Stats: 'Counts.',
  Limits: 'Rate limits. Served only when rate limits are configured.',
  Health: 'Liveness, readiness and metrics of a process.',
  Docs: 'This documentation.',
  SCIM: 'What identity providers push to: SCIM 2.0 (RFC 7643, RFC 7644), below the SCIM address of a directory.',
} as const;

export type TagName = keyof typeof tags;
