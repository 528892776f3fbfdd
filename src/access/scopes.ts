/** What an API key may do. Each operation of the JSON API requires one. */
export const scopes = [
  'directories:read',
  'directories:write',
  'directories:delete',
  'secrets:read',
  'people:read',
  'people:write',
  'events:read',
  'deliveries:read',
  'deliveries:write',
  'syncs:read',
  'syncs:write',
  'setup_links:write',
  'keys:write',
  'audit:read',
  'metrics:read',
  'limits:read',
] as const;

export type Scope = (typeof scopes)[number];

/** Scopes for data that belongs to no tenant. A narrowed key cannot have them. */
export const deploymentScopes: readonly Scope[] = ['metrics:read', 'limits:read'];

export const presetNames = ['admin', 'application', 'read-only', 'support'] as const;
export type PresetName = (typeof presetNames)[number];

export const presets: Record<PresetName, readonly Scope[]> = {
  admin: scopes,
  application: scopes.filter((scope) => !['people:write', 'keys:write', 'audit:read', ...deploymentScopes].includes(scope)),
  'read-only': scopes.filter((scope) => scope.endsWith(':read') && !['secrets:read', 'audit:read'].includes(scope)),
  support: ['directories:read', 'people:read', 'events:read', 'deliveries:read', 'deliveries:write', 'syncs:read', 'syncs:write'],
};
