import type { Knex } from 'knex';
import type { AuditAction, Changes } from '../../audit/act.ts';
import type { DirectoryType } from '../../directory/directories/directory.ts';
import { type NewSetupLink, type SetupLink, hashLinkToken } from '../../directory/setup-links/setup-link.ts';
import { newId } from '../../ids.ts';
import { recordAct } from '../audit/record-act.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';

export interface LinkRow {
  id: string;
  place: string;
  token_hash: Buffer;
  tenant: string;
  product: string;
  sealed: string;
  name: string | null;
  provider: DirectoryType | null;
  return_url: string | null;
  revoke_on_completion: boolean;
  roles: string[] | null;
  may_delete: boolean;
  created_by: SetupLink['createdBy'];
  created_at: Date;
  expires_at: Date;
  opened_at: Date | null;
  completed_at: Date | null;
}

type Sealed = Pick<SetupLink, 'token' | 'webhookUrl' | 'webhookSecret' | 'adminEmails'>;

export function toColumns(secretColumns: SecretColumns, link: NewSetupLink) {
  const { id, token, tenant, product, webhookUrl, webhookSecret, adminEmails } = link;
  return {
    id,
    place: newId(),
    token_hash: hashLinkToken(token),
    tenant,
    product,
    sealed: secretColumns.seal(id, 'setup_link', JSON.stringify({ token, webhookUrl, webhookSecret, adminEmails } satisfies Sealed)),
    name: link.name ?? null,
    provider: link.provider ?? null,
    return_url: link.returnUrl ?? null,
    revoke_on_completion: link.revokeOnCompletion,
    roles: link.roles.length === 0 ? null : JSON.stringify(link.roles),
    may_delete: link.mayDelete,
    created_by: JSON.stringify(link.createdBy),
  };
}

export function openLink(secretColumns: SecretColumns, row: LinkRow): SetupLink {
  return {
    id: row.id,
    tenant: row.tenant,
    product: row.product,
    ...(JSON.parse(secretColumns.open(row.id, 'setup_link', row.sealed)) as Sealed),
    name: row.name ?? undefined,
    provider: row.provider ?? undefined,
    returnUrl: row.return_url ?? undefined,
    revokeOnCompletion: row.revoke_on_completion,
    roles: row.roles ?? [],
    mayDelete: row.may_delete,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    openedAt: row.opened_at ?? undefined,
    completedAt: row.completed_at ?? undefined,
  };
}

export const recordLinkAct = (trx: Knex, action: AuditAction, { id, tenant, product }: LinkRow, changes?: Changes) =>
  recordAct(trx, { action, targets: [{ type: 'setup_link', id, tenant, product }], ...(changes && { changes }) });
