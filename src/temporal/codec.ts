import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Keyring } from '../keyring.ts';

export const encoding = 'binary/rollcall-sealed';
const encodingBytes = new TextEncoder().encode(encoding);
const context = 'temporal payload';

/** Seals every payload: Temporal's store then holds no person's data in clear. */
export function createCodec(keyring: Keyring): PayloadCodec {
  return {
    encode: (payloads) =>
      Promise.resolve(payloads.map((payload) => ({ metadata: { encoding: encodingBytes }, data: keyring.seal(pack(payload), context) }))),
    decode: (payloads) =>
      Promise.resolve(payloads.map((payload) => (isSealed(payload) ? unpack(keyring.open(payload.data!, context)) : payload))),
  };
}

const isSealed = ({ metadata }: Payload) => new TextDecoder().decode(metadata?.['encoding'] ?? new Uint8Array()) === encoding;

/** Length of the metadata, the metadata as JSON, then the data as it is. */
function pack({ metadata, data }: Payload): Buffer {
  const head = Buffer.from(
    JSON.stringify(
      Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')])),
    ),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  // Protobuf gives an empty field as a plain array.
  return Buffer.concat([length, head, Uint8Array.from(data ?? [])]);
}

function unpack(packed: Buffer): Payload {
  const end = 4 + packed.readUInt32BE();
  const head = JSON.parse(packed.subarray(4, end).toString()) as Record<string, string>;
  return {
    metadata: Object.fromEntries(Object.entries(head).map(([name, value]) => [name, new Uint8Array(Buffer.from(value, 'base64'))])),
    data: new Uint8Array(packed.subarray(end)),
  };
}
