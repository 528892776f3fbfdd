import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';

export interface ServiceAccount {
  email: string;
  /** In PEM. */
  privateKey: string;
}

const keyFile = z.object({ client_email: z.string().min(1), private_key: z.string().refine(isPrivateKey) });

/** `undefined` unless the text is that of a key file, and its key can sign. */
export function readServiceAccount(text: string): ServiceAccount | undefined {
  const read = keyFile.safeParse(parse(text));
  return read.success ? { email: read.data.client_email, privateKey: read.data.private_key } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
