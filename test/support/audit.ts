import type { AuditEntryBody } from '../../src/http/api/audit/schemas.ts';
import type { TestService } from './service.ts';

/** The entries of the audit log that match, newest first. */
export async function readAuditLog({ api }: Pick<TestService, 'api'>, query: Record<string, string> = {}): Promise<AuditEntryBody[]> {
  const { status, body } = await api('GET', `/api/v1/audit-log?${new URLSearchParams({ limit: '1000', ...query }).toString()}`);
  if (status !== 200) throw new Error(`The audit log was not read: ${status} ${JSON.stringify(body)}`);
  return body.data as AuditEntryBody[];
}
