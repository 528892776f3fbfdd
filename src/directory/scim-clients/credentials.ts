import { hash, randomBytes } from 'node:crypto';

/** The parts of a secret or token: its value is shown once, and its SHA-256 is stored. */
interface Credential {
  value: string;
  hash: Buffer;
}

/** The prefixes let secret scanners find a leaked value. */
const [secretPrefix, tokenPrefix] = ['rcs_', 'rct_'];

export const createClientSecret = (): Credential => createCredential(secretPrefix);
export const createAccessToken = (): Credential => createCredential(tokenPrefix);

/** Whether it has the form of an access token. */
export const isAccessToken = (text: string): boolean => /^rct_[\w-]{43}$/.test(text);

export const hashCredential = (text: string): Buffer => hash('sha256', text, 'buffer');

function createCredential(prefix: string): Credential {
  const value = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { value, hash: hashCredential(value) };
}
