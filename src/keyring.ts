import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const version = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes + nonceBytes + tagBytes;

/**
 * AES-256-GCM with several keys: the first one encrypts, all decrypt. The context (where the value is stored) is authenticated too, so a
 * sealed value that is copied to another row or column does not decrypt there.
 */
export interface Keyring {
  /** The IDs have the order of the keys, of which the first one encrypts. An ID reveals nothing about its key. */
  readonly keyIds: [string, ...string[]];
  seal(plain: Uint8Array, context: string): Buffer;
  open(sealed: Uint8Array, context: string): Buffer;
  sealText(plain: string, context: string): string;
  openText(sealed: string, context: string): string;
}

export function createKeyring(keys: Buffer[]): Keyring {
  const byId = new Map(keys.map((key) => [keyIdOf(key).toString('hex'), key]));
  const [first] = keys;
  if (first === undefined) throw new Error('A keyring requires at least one key.');
  const beginning = Buffer.concat([Buffer.from([version]), keyIdOf(first)]);

  const seal: Keyring['seal'] = (plain, context) => {
    const nonce = newNonce();
    const cipher = createCipheriv('aes-256-gcm', first, nonce).setAAD(Buffer.from(context));
    const sealed = cipher.update(plain);
    cipher.final();
    return Buffer.concat([beginning, nonce, cipher.getAuthTag(), sealed]);
  };
  const open: Keyring['open'] = (bytes, context) => {
    const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const key = byId.get(sealed.subarray(1, 1 + keyIdBytes).toString('hex'));
    if (sealed[0] !== version || sealed.length < headerBytes || !key) throw new UnknownKeyError();
    const nonceAt = 1 + keyIdBytes;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(nonceAt, nonceAt + nonceBytes)).setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(nonceAt + nonceBytes, headerBytes));
    const plain = decipher.update(sealed.subarray(headerBytes));
    decipher.final();
    return plain;
  };
  return {
    keyIds: [...byId.keys()] as [string, ...string[]],
    seal,
    open,
    sealText: (plain, context) => seal(Buffer.from(plain), context).toString('base64url'),
    openText: (sealed, context) => open(Buffer.from(sealed, 'base64url'), context).toString(),
  };
}

const noncesPerBatch = 256;
let nonces = Buffer.alloc(0);
let taken = 0;

/** Nonces are drawn in batches: asking the system for each one takes longer than sealing a few hundred bytes. */
function newNonce(): Buffer {
  if (taken === nonces.length) [nonces, taken] = [randomBytes(nonceBytes * noncesPerBatch), 0];
  taken += nonceBytes;
  return nonces.subarray(taken - nonceBytes, taken);
}

/** The ID of the key that sealed this value; undefined if it is not a sealed value. */
export function readSealedKeyId(sealed: Uint8Array): string | undefined {
  if (sealed[0] !== version || sealed.length < headerBytes) return undefined;
  return Buffer.from(sealed.subarray(1, 1 + keyIdBytes)).toString('hex');
}

export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
  constructor() {
    super('The value is encrypted with a key that is not in ENCRYPTION_KEYS.');
  }
}

const keyIdOf = (key: Buffer) => createHash('sha256').update('rollcall key id').update(key).digest().subarray(0, keyIdBytes);
