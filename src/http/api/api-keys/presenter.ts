import type { CreatedApiKey } from '../../../access/api-keys.ts';
import { withPublicId } from '../../../access/narrowing.ts';
import type { ApiKey } from '../../../access/ports.ts';
import { toTime } from '../schema-fields.ts';
import type { ApiKeyBody } from './schemas.ts';

export const presentApiKey = (key: ApiKey): ApiKeyBody => ({
  id: key.id,
  name: key.name,
  scopes: key.scopes,
  tenant: key.narrowed.tenant ?? null,
  product: key.narrowed.product ?? null,
  directory_id: withPublicId(key.narrowed).directoryId ?? null,
  allowed_networks: key.allowedNetworks ?? null,
  expires_at: toTime(key.expiresAt),
  last_used_at: toTime(key.lastUsedAt),
  created_at: toTime(key.createdAt),
  created_by: key.createdBy,
  revoked_at: toTime(key.revokedAt),
  prefix: key.prefix,
});

export const presentCreatedApiKey = ({ key, value }: CreatedApiKey) => ({ ...presentApiKey(key), key: value });
