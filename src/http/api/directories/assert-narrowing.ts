import type { Caller } from '../../../access/caller.ts';
import { isNarrowed } from '../../../access/narrowing.ts';
import { accountNarrowed } from '../../../directory/sync/authorization-errors.ts';
import { AppError } from '../../../errors.ts';
import type { HttpDeps } from '../../deps.ts';

/** Says nothing about what exists. */
export function assertMayCreate({ narrowed }: Caller, owner: { tenant: string; product: string }): void {
  if (narrowed.directoryId !== undefined)
    throw new AppError('key_narrowed', 'This API key is narrowed to one directory: it cannot create another one.');
  const field = (['tenant', 'product'] as const).find((name) => narrowed[name] !== undefined && narrowed[name] !== owner[name]);
  if (field)
    throw new AppError('key_narrowed', `This API key is narrowed to another ${field}: it cannot create this directory.`, { field });
}

/** The deployment's application may read the tenants of several customers. A directory may be sent back as it was read. */
export async function assertSameAccount(
  { narrowed }: Caller,
  id: string,
  { entra_tenant_id: asked }: { entra_tenant_id?: string | undefined },
  deps: Pick<HttpDeps, 'directories'>,
): Promise<void> {
  if (!isNarrowed(narrowed) || asked === undefined) return;
  const { connection } = await deps.directories.get(id);
  if (asked.trim().toLowerCase() !== (connection?.account ?? '')) throw accountNarrowed('entra_tenant_id');
}

interface ServiceAccountRequest {
  google_admin_email?: string | undefined;
  google_service_account_key?: string | undefined;
}

/** The deployment's service account may read the domains of several tenants, and a directory decides for which administrator it acts. */
export function assertOwnServiceAccount({ narrowed }: Caller, request: ServiceAccountRequest): void {
  if (!isNarrowed(narrowed)) return;
  const { google_admin_email: adminEmail, google_service_account_key: key } = request;
  const usesDeployments = key === '' ? adminEmail !== '' : !!adminEmail && key === undefined;
  if (!usesDeployments) return;
  throw new AppError(
    'key_narrowed',
    "This API key is narrowed: it cannot let a directory use the deployment's service account. Send google_service_account_key with google_admin_email.",
    { field: 'google_service_account_key' },
  );
}
