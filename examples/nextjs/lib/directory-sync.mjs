import { rollcall } from 'rollcall';

/** One instance per process: hot reload loads modules again, and each instance has database connections. */
export function directorySync() {
  globalThis.directorySync ??= start();
  return globalThis.directorySync;
}

async function start() {
  const { DATABASE_URL, ENCRYPTION_KEY, EXTERNAL_URL = 'http://localhost:3000' } = process.env;
  try {
    const missing = [
      !DATABASE_URL && 'DATABASE_URL is missing: set it to the URL of a Postgres, like postgres://user:password@localhost:5432/app.',
      !ENCRYPTION_KEY && 'ENCRYPTION_KEY is missing: set it to what `openssl rand -base64 32` prints, and keep it.',
    ].filter(Boolean);
    if (missing.length > 0) throw new Error(missing.join(' '));
    return await rollcall({ databaseUrl: DATABASE_URL, encryptionKeys: [ENCRYPTION_KEY], externalUrl: EXTERNAL_URL });
  } catch (error) {
    // The next request tries again.
    globalThis.directorySync = undefined;
    throw error;
  }
}
