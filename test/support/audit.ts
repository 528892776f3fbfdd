import type { AuditEntryBody } from '../../src/http/api/audit/schemas.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

/** The entries of the audit log that match, newest first. */
export async function readAuditLog({ api }: Pick<TestService, 'api'>, query: Record<string, string> = {}): Promise<AuditEntryBody[]> {
  const { status, body } = await api('GET', `/api/v1/audit-log?${new URLSearchParams({ limit: '1000', ...query }).toString()}`);
  if (status !== 200) throw new Error(`The audit log was not read: ${status} ${JSON.stringify(body)}`);
  return body.data as AuditEntryBody[];
}

/** The newest entry of rejected credentials that matches. It is written after their response. */
export const untilRefused = (service: Pick<TestService, 'api'>, query: Record<string, string> = {}) =>
  until(async () => (await readAuditLog(service, { action: 'sign_in.refused', ...query }))[0]);

/** Somebody who is synced. Each of these texts would show that the audit log has personal data. */
export const syncedPerson = {
  userName: 'lovelace@people.example',
  name: { givenName: 'Augusta', familyName: 'Lovelace' },
  displayName: 'Countess Lovelace',
  title: 'Analyst of Engines',
  emails: [{ value: 'ada.king@people.example', primary: true }],
  phoneNumbers: [{ value: '+44 20 7946 0018' }],
};

export const personalTexts = /people\.example|Augusta|Lovelace|Countess|Analyst of Engines|7946 0018/i;

/** The texts of all entries, as they are stored. */
export const readAuditBodies = async ({ db }: Pick<TestService, 'db'>): Promise<string[]> =>
  db('audit_log').orderBy('position').pluck('body');
