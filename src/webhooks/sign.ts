import { createHmac } from 'node:crypto';

export interface SignedContent {
  id: string;
  body: string | Buffer;
  /** The newest secret comes first. */
  secrets: string[];
  atMs: number;
}

/** The three headers of Standard Webhooks, with one signature per secret. */
export function createSignatureHeaders({ id, body, secrets, atMs }: SignedContent): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', toKey(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return `v1,${digest}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

const minKeyBytes = 16;

/** A secret of the form `whsec_<base64 of at least 16 bytes>` encodes the key; any other string is the key itself, in UTF-8. */
function toKey(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  const key = Buffer.from(encoded ?? '', 'base64');
  return key.length >= minKeyBytes ? key : Buffer.from(secret);
}

/**
 * The signature headers of Ory Polis (BoxyHQ Jackson), under both names: milliseconds, hexadecimal, signed with the newest secret as it is
 * written.
 */
export function createLegacySignatureHeaders({ body, secrets, atMs }: Omit<SignedContent, 'id'>): Record<string, string> {
  const [secret] = secrets;
  if (secret === undefined) return {};
  const digest = createHmac('sha256', secret).update(`${atMs}.`).update(body).digest('hex');
  const signature = `t=${atMs},s=${digest}`;
  return { 'ory-polis-signature': signature, 'boxyhq-signature': signature };
}
