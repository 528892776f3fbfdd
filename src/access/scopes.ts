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
