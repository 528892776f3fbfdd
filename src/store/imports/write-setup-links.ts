import type { Knex } from 'knex';
import { commandActor } from '../../audit/act.ts';
import type { SetupLinksToImport, SetupLinkTally } from '../../directory/import/ports.ts';
import { type SetupLink, hashLinkToken, setupLinkId } from '../../directory/setup-links/setup-link.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import { type LinkRow, recordLinkAct, toColumns } from '../setup-links/link-row.ts';
import { assertBelowLinkLimits } from '../setup-links/setup-link-store.ts';

/**
 * Links that were created in Rollcall stay. Links that were imported from the same source
 * are replaced, or revoked if they are missing there.
 */
export async function writeSetupLinks(
  trx: Knex.Transaction,
  secrets: SecretColumns,
  { source, links, missing, isDryRun }: SetupLinksToImport,
): Promise<SetupLinkTally> {
  const tally: SetupLinkTally = { imported: 0, unchanged: 0, revoked: 0, skipped: [] };
  for (const { createdAt, expiresAt, ...fields } of links) {
    const id = setupLinkId(fields);
    await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 7265636535))', [id]);
    const former = await trx('setup_links')
      .where({ id })
      .first<(LinkRow & { is_valid: boolean }) | undefined>('*', trx.raw('expires_at > now() as is_valid'));
    if (former?.token_hash.equals(hashLinkToken(fields.token))) tally.unchanged += 1;
    else if (former?.is_valid && !isImported(former, source)) tally.skipped.push({ tenant: fields.tenant, product: fields.product });
    else {
      tally.imported += 1;
      if (isDryRun) continue;
      await trx('setup_links').where({ id }).delete();
      await assertBelowLinkLimits(trx, {});
      // In Polis, each link may delete directories.
      const link = { ...fields, id, ...polisDefaults, mayDelete: true, createdBy: importedFrom(source) };
      const [created] = await trx('setup_links')
        .insert({ ...toColumns(secrets, link), created_at: createdAt, expires_at: expiresAt })
        .returning<LinkRow[]>('*');
      await recordLinkAct(trx, 'setup_link.created', created!, {
        expires_at: expiresAt.toISOString(),
        ...(former && { replaced: true }),
      });
    }
  }
  if (missing) tally.revoked = await revokeMissing(trx, { source, ...missing, isDryRun });
  return tally;
}

const polisDefaults = { adminEmails: [], provider: undefined, returnUrl: undefined, revokeOnCompletion: false, roles: [] };

const importedFrom = (source: string): SetupLink['createdBy'] => {
  const { type, id } = commandActor('import polis');
  return { type, id, name: source };
};

const isImported = ({ created_by: by }: LinkRow, source: string): boolean => {
  const { type, id, name } = importedFrom(source);
  return by.type === type && by.id === id && by.name === name;
};

async function revokeMissing(
  trx: Knex.Transaction,
  { source, present, within, isDryRun }: Pick<SetupLinksToImport, 'source' | 'isDryRun'> & NonNullable<SetupLinksToImport['missing']>,
): Promise<number> {
  const missing = await trx('setup_links')
    .where({ created_by: JSON.stringify(importedFrom(source)), ...within })
    .whereRaw('expires_at > now()')
    .whereNotIn('id', present.map(setupLinkId))
    .select<LinkRow[]>('*');
  if (isDryRun) return missing.length;
  for (const row of missing) {
    await trx('setup_links').where({ id: row.id }).delete();
    await recordLinkAct(trx, 'setup_link.revoked', row);
  }
  return missing.length;
}
