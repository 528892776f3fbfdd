import { describeChanges } from '../../audit/describe-changes.ts';
import type { Directory } from '../../directory/directories/directory.ts';
import type { DirectoryStore } from '../../directory/ports.ts';
import { newId } from '../../ids.ts';
import { lockSchema } from '../attributes/attribute-store.ts';
import { recordAct } from '../audit/record-act.ts';
import { toColumns } from './directory-rows.ts';
import { addScimSecret } from './scim-secret-store.ts';
import { type SetWebhookDeps, setWebhook } from './set-webhook.ts';

/** Creates a directory in the transaction of its caller. */
export async function insertDirectory(deps: SetWebhookDeps, directory: Parameters<DirectoryStore['create']>[0]): Promise<Directory> {
  const { trx, secrets, emitOperatorEvent } = deps;
  const { id, tenant, product, type } = directory;
  // A schema that is replaced now computes all directories of the product.
  await lockSchema(trx, product, { isShared: true });
  const [times] = await trx('directories')
    .insert({ id, tenant, product, type, ...toColumns(id, directory, secrets) })
    .returning<{ created_at: Date; updated_at: Date }[]>(['created_at', 'updated_at']);
  await trx('webhook_endpoints').insert({ id: newId(), directory_id: id, legacy_signatures: directory.legacySignatures ?? null });
  if (directory.scimSecret !== undefined)
    await addScimSecret(trx, secrets, { directoryId: id, secret: directory.scimSecret, expiresAt: undefined });
  if (directory.webhook) await setWebhook(deps, id, directory.webhook);
  await emitOperatorEvent(trx, 'dsync.created', id);
  await recordAct(trx, {
    action: 'directory.created',
    directory: { id, tenant, product },
    changes: { type, ...describeChanges(undefined, directory) },
  });
  return {
    ...directory,
    createdAt: times!.created_at,
    updatedAt: times!.updated_at,
    isChangingInactiveUsers: false,
    removingAt: undefined,
  };
}
