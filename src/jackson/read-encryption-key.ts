import { StartupError } from '../errors.ts';

/**
 * The ancestor's key is 32 characters of text, and their bytes are the key. So are they here: the service reads the same database with
 * these bytes in base64. Rollcall's own form, 32 bytes in base64, is taken as it is.
 */
export function readEncryptionKey(text: string | undefined): string {
  if (text !== undefined && Buffer.byteLength(text) === 32) return Buffer.from(text).toString('base64');
  if (text !== undefined && /^[A-Za-z0-9+/]{43}=$/.test(text)) return text;
  throw new StartupError(
    'db.encryptionKey must be 32 characters, for example what `openssl rand -hex 16` prints: secrets are never stored in clear.',
  );
}
