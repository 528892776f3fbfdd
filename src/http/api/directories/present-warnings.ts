import { findWebhookWarnings, type Warning } from '../../../directory/delivery/webhook-settings.ts';
import type { Directory } from '../../../directory/directories/directory.ts';
import type { HttpDeps } from '../../deps.ts';
import { directorySchema } from './schemas.ts';

interface SecretRequest {
  webhook_secret?: string | null | undefined;
  webhook?: { secret?: string | null | undefined } | null | undefined;
}

const maxNamedFields = 20;
const maxNameLength = 100;
/** A directory may be sent back as it was read. */
const responseFields = new Set(['health', ...Object.keys(directorySchema.shape)]);

/** What a request to create or change a directory should know, although it succeeds. */
export async function presentWarnings(
  { webhook_secret: secret, webhook }: SecretRequest,
  ignored: string[],
  directory: Directory,
  { scimClients }: Pick<HttpDeps, 'scimClients'>,
): Promise<{ warnings?: Warning[] }> {
  const unknown = ignored.filter((name) => !responseFields.has(name)).slice(0, maxNamedFields);
  const field = (secret ?? undefined) === undefined ? 'webhook.secret' : 'webhook_secret';
  const warnings = [
    ...findWebhookWarnings(field, secret ?? webhook?.secret ?? undefined, directory.webhook),
    ...(await scimClients.findWarnings(directory)),
    ...unknown.map((name) => toUnknownField(name.slice(0, maxNameLength))),
  ];
  return warnings.length > 0 ? { warnings } : {};
}

const toUnknownField = (field: string): Warning => ({
  code: 'unknown_field',
  field,
  message: `Unknown field ${field}; it was ignored.`,
});
