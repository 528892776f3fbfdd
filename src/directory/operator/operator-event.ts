/** What the operator of the service is told of directories; the first four are the ancestor's. */
export type OperatorEventType =
  | 'dsync.created'
  | 'dsync.activated'
  | 'dsync.deactivated'
  | 'dsync.deleted'
  | 'dsync.mutation_rejected'
  | 'dsync.sync_failed'
  | 'dsync.webhook_disabled'
  | 'dsync.webhook_enabled'
  | 'dsync.authorization_needed'
  | 'dsync.confirmation_needed';
