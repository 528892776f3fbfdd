import { shortTime } from './format.ts';

interface Credential {
  revoked_at: string | null;
  expires_at: string | null;
}

/** For people: whether an API key, an OAuth client or an upload token works, and until when. */
export function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: Credential): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'valid';
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : `until ${shortTime(expiresAt)}`;
}
