/** In the order in which one would read them. */
export const tags = {
  Directories: 'One connection of one tenant and one product to an identity provider.',
  Users: 'Who is in the directories.',
  Groups: 'The groups in the directories, and who is in them.',
  Events: 'Every change as the application is told it, in order, to be fetched instead of received.',
  Deliveries: 'What is sent to the webhook of a directory: how it stands, what was sent, and what to do about it.',
  Replays: 'Events that are sent again.',
  'Webhook events': 'The log of webhooks in the form that applications of the ancestor know.',
  Syncs: 'Directories that are read from a hosted provider, Google Workspace.',
  Google: 'How a directory of type google is authorised.',
  Stats: 'Counts.',
  Limits: 'Who may ask how often. Served only where requests are limited.',
  Health: 'Whether the service is well.',
  Description: 'This description.',
  SCIM: 'What identity providers push to: SCIM 2.0 (RFC 7643, RFC 7644) below the address of one directory.',
} as const;

export type TagName = keyof typeof tags;
