/** Everything that the audit log can record, with its meaning. */
export const auditActions = {
  'directory.created': 'A directory was created.',
  'directory.updated': 'Settings of a directory were changed.',
  'directory.mapping_updated': 'The mapping of attributes of a directory was replaced.',
  'directory.roles_updated': 'The role table of a directory was replaced or removed.',
  'attribute_schema.updated': 'The attribute schema of a product was replaced.',
  'directory.deleted': 'A directory was deleted.',
  'directory.authorized': 'New credentials of a pulled directory were stored.',
  'directory.authorization_started': 'An authorization URL was generated.',
  'directory.code_exchanged': 'A code from Google was exchanged for tokens, which the caller received.',
  'directory.authorization_lost': 'The provider rejected the authorization of a directory.',
  'directory.exported': 'A snapshot of a directory was read.',
  'directory.secrets_read': 'Secrets of directories were read.',
  'directory.scim_secret_rotated': 'A SCIM secret was rotated.',
  'scim_client.created': 'An OAuth client of a directory was created.',
  'scim_client.updated': 'The name or expiry of an OAuth client was changed.',
  'scim_client.revoked': 'An OAuth client was revoked, with its access tokens.',
  'scim_client.tokens_revoked': 'The access tokens of an OAuth client were revoked.',
  'webhook.secret_rotated': 'A webhook secret was rotated.',
  'webhook.tested': 'A test event was sent.',
  'delivery.paused': 'Delivery was paused.',
  'delivery.resumed': 'Delivery was resumed.',
  'delivery.retried': 'A delivery was retried manually.',
  'delivery.disabled': 'Delivery was disabled, because deliveries failed for too long.',
  'delivery_log.deleted': 'Entries of the delivery log were deleted.',
  'replay.started': 'A replay was started.',
  'replay.canceled': 'A replay was canceled.',
  'directory.files_uploaded': 'Files of a directory were uploaded, and a sync run reads them.',
  'upload_token.created': 'An upload token of a directory was created.',
  'upload_token.revoked': 'An upload token of a directory was revoked.',
  'sync.started': 'A sync run was requested, or those of all directories of a type.',
  'sync.confirmed': 'The removals of a sync run were confirmed.',
  'sync.canceled': 'A sync run was canceled.',
  'sync.failed': 'A sync run failed, and an operator must fix it.',
  'sync.confirmation_needed': 'The removal guard stopped a sync run.',
  'mutation.rejected': 'A change was rejected, because each attempt to apply it crashed the process.',
  'sign_in.succeeded': 'A person signed in with a browser.',
  'sign_in.refused': 'Credentials were rejected.',
  'session.ended': 'A person signed out or in again, exceeded the limit of sessions, or everyone was signed out.',
  'login_link.created': '`rollcall console login` printed a single-use sign-in link.',
  'api_key.created': 'An API key was created.',
  'api_key.updated': 'The name, scopes, networks or expiry of an API key were changed.',
  'api_key.rotated': 'An API key got a new value.',
  'api_key.revoked': 'An API key was revoked.',
  'setup_link.created': 'A setup link was created, or replaced by a new one.',
  'setup_link.secrets_read': 'The addresses and webhook secrets of setup links were read.',
  'setup_link.opened': 'A setup link was opened for the first time.',
  'setup_link.completed': "A customer's administrator finished a setup link.",
  'setup_link.revoked': 'A setup link was revoked.',
  'user.exported': 'The data about a user was exported: everything, or the kind in `changes.only`.',
  'user.erasure_requested': 'The erasure of a user was requested.',
  'user.erased': 'The erasure of a user is complete: the certificate, with counts.',
  'keys.rewrap_started': '`rollcall keys rewrap` began to encrypt everything with the current key.',
  'keys.rewrapped': '`rollcall keys rewrap` has ended.',
  'database.migrated': '`rollcall migrate`, or a service that started, began to change the schema of the database.',
  'database.backed_up': '`rollcall backup` began to copy the database.',
  'database.restored': '`rollcall restore` filled this database from a backup.',
  'audit_log.exported': 'The audit log was exported.',
} as const;

export type AuditAction = keyof typeof auditActions;

export const actorTypes = [
  'root_key',
  'api_key',
  'upload_token',
  'person',
  'library',
  'command_line',
  'administrator',
  'service',
  'anonymous',
] as const;

/** Who did something. */
export interface Actor {
  type: (typeof actorTypes)[number];
  id: string;
  name: string;
}

/** From where a request came. */
export interface ActContext {
  /** The client's address. */
  location: string | null;
  user_agent: string | null;
  request_id: string | null;
}

export const targetTypes = [
  'directory',
  'delivery',
  'replay',
  'sync_run',
  'mutation',
  'api_key',
  'scim_client',
  'upload_token',
  'session',
  'setup_link',
  'encryption_key',
  'user',
  'attribute_schema',
] as const;

/**
 * A target of an action. A directory and a setup link carry their owner, so that the log can be searched by it
 * after they are gone; an API key what it is narrowed to.
 */
export interface Target {
  type: (typeof targetTypes)[number];
  id: string;
  tenant?: string;
  product?: string;
}

/** A setting with both of its values, a secret that changed, or a fact about the act. */
export type ChangeValue = { from: unknown; to: unknown } | { changed: true } | string | number | boolean | null;
export type Changes = Record<string, ChangeValue>;

export interface Act {
  action: AuditAction;
  /** Default: the actor of the scope. */
  actor?: Actor;
  /** By its key. The owner is read if it is not given. */
  directory?: { id: string; tenant?: string; product?: string } | undefined;
  targets?: Target[];
  changes?: Changes;
  result?: 'success' | 'refused';
}

/** As the API returns it, without its place in the chain. Its JSON text is what the chain covers. */
export interface AuditEntry {
  id: string;
  action: AuditAction;
  occurred_at: string;
  actor: Actor;
  targets: Target[];
  context: ActContext;
  changes: Changes | null;
  result: 'success' | 'refused';
}

/** Rollcall itself, when nobody asked for what it does. */
export const serviceActor: Actor = { type: 'service', id: 'rollcall', name: 'Rollcall' };
export const libraryActor: Actor = { type: 'library', id: 'library', name: 'The application that embeds Rollcall' };
export const administratorActor: Actor = { type: 'administrator', id: 'consent', name: "A customer's administrator" };
/** Whoever has the link. Its name also says who created the link. */
export const setupActor = ({ id, createdBy }: { id: string; createdBy: Actor }): Actor => ({
  ...administratorActor,
  id,
  name: `${administratorActor.name}, with a setup link of ${createdBy.name} (${createdBy.type} ${createdBy.id})`,
});
export const anonymousActor: Actor = { type: 'anonymous', id: 'anonymous', name: 'Unknown' };
export const commandActor = (command: string): Actor => ({ type: 'command_line', id: command, name: `rollcall ${command}` });
