import { readFile, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import type { ImportReport } from '../../src/directory/import/report.ts';
import { callRollcall, type Ended } from '../cli/run-rollcall.ts';

export const encryptionKey = randomBytes(32);

/** The environment of a Rollcall on this database. */
export const targetEnv = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  ENCRYPTION_KEYS: encryptionKey.toString('base64'),
});

/** Runs `rollcall import polis`, and reads its report if it wrote one. */
export async function importFrom(
  sourceUrl: string,
  targetUrl: string,
  options: string[] = [],
  stdin?: string,
): Promise<Ended & { report: ImportReport | undefined }> {
  const file = join(tmpdir(), `report-${randomBytes(6).toString('hex')}.json`);
  const ended = await callRollcall(['import', 'polis', '--source', sourceUrl, '--report', file, ...options], {
    env: targetEnv(targetUrl),
    ...(stdin !== undefined && { stdin }),
  });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  await rm(file, { force: true });
  return { ...ended, report: text === undefined ? undefined : (JSON.parse(text) as ImportReport) };
}
