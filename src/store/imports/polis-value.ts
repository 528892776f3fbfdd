import { createDecipheriv } from 'node:crypto';
import { StartupError } from '../../errors.ts';
import { parseJsonKeepingDigits } from '../../scim/json.ts';

export interface StoredValue {
  value: string;
  iv: string | null;
  tag: string | null;
}

/** As in Polis: 32 characters are the key itself; anything else is base64. */
export function readPolisKey(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const key = Buffer.from(text, text.length === 32 ? 'latin1' : 'base64');
  if (key.length !== 32)
    throw new StartupError("--source-encryption-key must be the value of Polis' DB_ENCRYPTION_KEY: 32 characters, or 32 bytes in base64.");
  return key;
}

export const isEncrypted = ({ iv, tag }: StoredValue): boolean => Boolean(iv && tag);

/** One table may have plain and encrypted rows. Before v1.28.1 the initialization vector had 16 bytes instead of 12. */
export function readPolisValue(stored: StoredValue, key: Buffer | undefined): { value: unknown } | { problem: string } {
  if (isEncrypted(stored) && !key) return { problem: 'it is encrypted, and no key was given' };
  const text = isEncrypted(stored) ? decrypt(stored, key!) : stored.value;
  if (text === undefined) return { problem: 'its value cannot be decrypted' };
  try {
    return { value: parseJsonKeepingDigits(text) };
  } catch {
    return { problem: 'its value is not JSON' };
  }
}

function decrypt({ value, iv, tag }: StoredValue, key: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv!, 'base64'));
    decipher.setAuthTag(Buffer.from(tag!, 'base64'));
    return decipher.update(value, 'base64', 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
