import type { Knex } from 'knex';
import { foundation } from './001-foundation.ts';
import { groups } from './002-groups.ts';
import { scimRequests } from './003-scim-requests.ts';
import { webhookDelivery } from './004-webhook-delivery.ts';
import { pulledDirectories } from './005-pulled-directories.ts';
import { limits } from './006-limits.ts';
import { directoryLife } from './007-directory-life.ts';
import { eventDocuments } from './008-event-documents.ts';
import { quotas } from './009-quotas.ts';
import { recovery } from './010-recovery.ts';
import { keys } from './012-keys.ts';
import { undeliveredBytes } from './013-undelivered-bytes.ts';
import { webhookAddresses } from './014-webhook-addresses.ts';
import { sealedAttempts } from './015-sealed-attempts.ts';
import { stagedBytes } from './016-staged-bytes.ts';
import { deliveriesInOrder } from './017-deliveries-in-order.ts';
import { largeInstallations } from './018-large-installations.ts';
import { firstStarts } from './019-first-starts.ts';
import { publicIds } from './020-public-ids.ts';
import { defaultSignatures } from './021-default-signatures.ts';
import { pushedDocuments } from './022-pushed-documents.ts';
import { deliveryWorkers } from './023-delivery-workers.ts';
import { imports } from './024-imports.ts';
import { importedInOrder } from './025-imported-in-order.ts';
import { stagedDocuments } from './026-staged-documents.ts';
import { auditLog } from './027-audit-log.ts';
import { apiKeys } from './028-api-keys.ts';
import { scimClients } from './029-scim-clients.ts';
import { directoryHealth } from './030-directory-health.ts';
import { userStateEvents } from './031-user-state-events.ts';
import { usersByState } from './032-users-by-state.ts';
import { sessions } from './034-sessions.ts';
import { setupLinkRoles } from './045-setup-link-roles.ts';
import { setupLinks } from './035-setup-links.ts';
import { providerLinks } from './037-provider-links.ts';
import { uploadedFiles } from './038-uploaded-files.ts';
import { userErasures } from './033-user-erasures.ts';
import { inactiveUsers } from './036-inactive-users.ts';
import { customAttributes } from './039-custom-attributes.ts';
import { directoryBatches } from './041-directory-batches.ts';
import { deliveriesAndHours } from './042-deliveries-and-hours.ts';
import { inactiveInOrder } from './043-inactive-in-order.ts';
import { roles } from './044-roles.ts';
import { userRequests } from './046-user-requests.ts';
import { eventsByUser } from './047-events-by-user.ts';
import { rejectedSecrets } from './048-rejected-secrets.ts';

/** A list, not a folder: knex would record file names with their extension, which differs between source and build. */
const migrations: Record<string, Knex.Migration & { config?: { transaction: boolean } }> = {
  '001_foundation': foundation,
  '002_groups': groups,
  '003_scim_requests': scimRequests,
  '004_webhook_delivery': webhookDelivery,
  '005_pulled_directories': pulledDirectories,
  '006_limits': limits,
  '007_directory_life': directoryLife,
  '008_event_documents': eventDocuments,
  '009_quotas': quotas,
  '010_recovery': recovery,
  // There is no 011: the number was never used, and recorded names never change.
  '012_keys': keys,
  '013_undelivered_bytes': undeliveredBytes,
  '014_webhook_addresses': webhookAddresses,
  '015_sealed_attempts': sealedAttempts,
  '016_staged_bytes': stagedBytes,
  '017_deliveries_in_order': deliveriesInOrder,
  '018_large_installations': largeInstallations,
  '019_first_starts': firstStarts,
  '020_public_ids': publicIds,
  '021_default_signatures': defaultSignatures,
  '022_pushed_documents': pushedDocuments,
  '023_delivery_workers': deliveryWorkers,
  '024_imports': imports,
  '025_imported_in_order': importedInOrder,
  '026_staged_documents': stagedDocuments,
  '027_audit_log': auditLog,
  '028_api_keys': apiKeys,
  '029_scim_clients': scimClients,
  '030_directory_health': directoryHealth,
  '031_user_state_events': userStateEvents,
  '032_users_by_state': usersByState,
  '034_sessions': sessions,
  '035_setup_links': setupLinks,
  '037_provider_links': providerLinks,
  '033_user_erasures': userErasures,
  '036_inactive_users': inactiveUsers,
  '038_uploaded_files': uploadedFiles,
  '039_custom_attributes': customAttributes,
  '041_directory_batches': directoryBatches,
  '042_deliveries_and_hours': deliveriesAndHours,
  '043_inactive_in_order': inactiveInOrder,
  '044_roles': roles,
  '045_setup_link_roles': setupLinkRoles,
  '046_user_requests': userRequests,
  '047_events_by_user': eventsByUser,
  '048_rejected_secrets': rejectedSecrets,
};

export const migrationNames = Object.keys(migrations);

/** Whether a migration runs without a transaction, because it builds an index while the table is changed. */
export const hasNoTransaction = (name: string): boolean => migrations[name]!.config?.transaction === false;

export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: () => Promise.resolve(migrationNames),
  getMigrationName: (name) => name,
  getMigration: (name) => Promise.resolve(migrations[name]!),
};
