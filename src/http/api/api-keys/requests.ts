import { z } from 'zod';
import type { ApiKeyRequest } from '../../../access/api-keys.ts';
import type { ApiKeyChange } from '../../../access/ports.ts';
import { type PresetName, presetNames, presets, scopes, type Scope } from '../../../access/scopes.ts';
import { AppError } from '../../../errors.ts';
import { isNetwork } from '../../../limits/networks.ts';
import { exampleId, overlapSeconds, shortText } from '../schema-fields.ts';
import { directoryId, product, tenant } from '../selector.ts';

const name = shortText.meta({ description: 'What the key is for.', examples: ['Billing service'] });

const scopeList = z
  .array(z.enum(scopes, `must be from ${scopes.join(', ')}`), 'must be a list')
  .min(1, 'must not be empty')
  .max(scopes.length, `may have at most ${scopes.length} entries`)
  .transform((given): Scope[] => scopes.filter((scope) => given.includes(scope)));

const networks = z
  .array(z.string('must be networks').refine(isNetwork, 'must be networks like 203.0.113.0/24 or 2001:db8::/32'), 'must be a list')
  .min(1, 'must not be empty; null allows all networks')
  .max(50, 'may have at most 50 entries')
  .nullable()
  .optional()
  .meta({ description: 'The networks that the key may be used from; null: all.', examples: [['203.0.113.0/24']] });

const expiresAt = z.iso
  .datetime({ offset: true, error: 'must be a time like 2027-11-21T08:43:54Z' })
  .transform((given) => new Date(given))
  .refine((at) => at.getTime() > Date.now(), 'must not be past')
  .nullable()
  .optional()
  .meta({ description: 'When the key expires; null: never.', examples: ['2028-11-21T08:43:54Z'] });

const describePreset = (preset: (typeof presetNames)[number]) => `\`${preset}\`: ${presets[preset].join(', ')}.`;

export const createApiKeyRequest = z
  .object({
    name,
    scopes: scopeList.optional().meta({ description: 'What the key may do. Either this or `preset`.', examples: [['people:read']] }),
    preset: z
      .enum(presetNames, `must be one of ${presetNames.join(', ')}`)
      .optional()
      .meta({
        description: `A named list of scopes. ${presetNames.map(describePreset).join(' ')} A narrowed key gets no metrics:read and limits:read.`,
      }),
    tenant: tenant.optional().meta({ description: 'The only tenant that the key can access.', examples: ['acme'] }),
    product: product.optional().meta({ description: 'The only product that the key can access.', examples: ['crm'] }),
    directory_id: directoryId.meta({ description: 'The ID of the only directory that the key can access.', examples: [exampleId] }),
    allowed_networks: networks,
    expires_at: expiresAt,
  })
  .meta({
    id: 'CreateApiKeyRequest',
    description: 'A new API key. With a tenant, product or directory, the key can access nothing else.',
    examples: [{ name: 'Billing service', scopes: ['people:read', 'events:read'], tenant: 'acme' }],
  });

export const toApiKeyRequest = (request: z.output<typeof createApiKeyRequest>): ApiKeyRequest => ({
  name: request.name,
  scopes: toScopes(request),
  narrowed: {
    ...(request.tenant !== undefined && { tenant: request.tenant }),
    ...(request.product !== undefined && { product: request.product }),
    ...(request.directory_id !== undefined && { directoryId: request.directory_id }),
  },
  allowedNetworks: request.allowed_networks ?? undefined,
  expiresAt: request.expires_at ?? undefined,
});

function toScopes({ scopes: given, preset }: z.output<typeof createApiKeyRequest>): Scope[] | PresetName {
  const found = given ?? preset;
  if (found === undefined || (given && preset))
    throw new AppError('invalid_request', 'Specify either scopes or preset.', { field: 'scopes' });
  return found;
}

export const updateApiKeyRequest = z
  .object({
    name: name.optional(),
    scopes: scopeList
      .optional()
      .meta({ description: 'What the key may do. The list replaces the previous one.', examples: [['people:read']] }),
    allowed_networks: networks,
    expires_at: expiresAt,
  })
  .meta({ id: 'UpdateApiKeyRequest', description: 'The fields to change. All others stay as they are.' });

export const toApiKeyChange = (request: z.output<typeof updateApiKeyRequest>): ApiKeyChange => ({
  name: request.name,
  scopes: request.scopes,
  allowedNetworks: request.allowed_networks,
  expiresAt: request.expires_at,
});

export const rotateApiKeyRequest = z
  .object({
    overlap_seconds: overlapSeconds(30, 'thirty').meta({
      description: 'How long the previous value stays valid, in seconds; 0: not at all.',
      examples: [86_400],
    }),
  })
  .meta({ id: 'RotateApiKeyRequest', description: 'How to rotate an API key.' });
