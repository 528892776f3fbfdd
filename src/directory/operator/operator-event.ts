/** Events about directories that are sent to the operator of the service. The first four exist in Polis too. */
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
