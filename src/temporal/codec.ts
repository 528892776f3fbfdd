import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import { UnknownKeyError, type Keyring } from '../keyring.ts';
import { toScheduledId } from './names.ts';
import { rejectPayload } from './activity-envelope.ts';

export const encoding = 'binary/rollcall-sealed';
const encodingBytes = new TextEncoder().encode(encoding);

/** The payload was not sealed by Rollcall for the workflow or activity that holds it. */
export class RejectedPayloadError extends Error {
  override readonly name = 'RejectedPayloadError';
}

/**
 * Seals every payload, so that Temporal stores no personal data in plain text, and opens only payloads that were sealed for the same workflow
 * or activity: Temporal accepts commands from anyone who can reach it.
 */
export function createCodec(keyring: Keyring): PayloadCodec {
  return create(keyring, (error, target) => {
    // A payload without a workflow, such as a schedule's memo, is not read, and must not break a list.
    if (target) throw error;
    return rejectPayload(error.message);
  });
}

/**
 * The codec of a worker. An error here would fail the workflow task, which Temporal retries forever. So a rejected payload becomes a
 * marker, and the interceptors of workflows and activities end what holds it.
 */
export function createWorkerCodec(keyring: Keyring): PayloadCodec {
  return create(keyring, ({ message }) => rejectPayload(message));
}

function create(
  keyring: Keyring,
  onRejected: (error: RejectedPayloadError, target: SerializationContext | undefined) => Payload,
): PayloadCodec {
  return {
    encode: (payloads, target) =>
      Promise.resolve(
        payloads.map((payload) => ({ metadata: { encoding: encodingBytes }, data: keyring.seal(pack(payload), bindingOf(target)) })),
      ),
    decode: (payloads, target) =>
      new Promise((resolve) =>
        resolve(
          payloads.map((payload) => {
            try {
              return openPayload(keyring, payload, target);
            } catch (error) {
              if (error instanceof RejectedPayloadError) return onRejected(error, target);
              throw error;
            }
          }),
        ),
      ),
  };
}

/** Throws a `RejectedPayloadError` if it was not sealed for this workflow or activity. */
export function openPayload(keyring: Keyring, payload: Payload, target: SerializationContext | undefined): Payload {
  if (!isSealed(payload)) throw new RejectedPayloadError('The payload is not sealed.');
  if (!target?.workflowId) throw new RejectedPayloadError('The payload belongs to no workflow.');
  try {
    return unpack(keyring.open(payload.data ?? new Uint8Array(), bindingOf(target)));
  } catch (error) {
    throw new RejectedPayloadError(
      error instanceof UnknownKeyError
        ? 'The payload is sealed under a key that is not in ENCRYPTION_KEYS.'
        : 'The payload is sealed for another workflow or activity.',
      { cause: error },
    );
  }
}

/** What a seal is bound to. The SDK doesn't provide activity types and runs here, so the envelope of activities has them. */
function bindingOf(target: SerializationContext | undefined): string {
  if (!target?.workflowId) return 'temporal payload of no workflow';
  const workflowId = toScheduledId(target.workflowId);
  if (target.type === 'workflow') return `temporal workflow payload ${workflowId}`;
  return `temporal ${target.isLocal ? 'local activity' : 'activity'} payload ${workflowId} ${target.activityId ?? ''}`;
}

export const isSealed = ({ metadata }: Payload) => encoding === toText(metadata?.['encoding']);

/** The length of the metadata, the metadata as JSON, then the data. */
function pack({ metadata, data }: Payload): Buffer {
  const head = toHead(metadata ?? {});
  return Buffer.concat([head, data instanceof Uint8Array ? data : Uint8Array.from(data ?? [])]);
}

function unpack(packed: Buffer): Payload {
  const end = 4 + packed.readUInt32BE();
  return { metadata: readHead(packed.subarray(0, end)), data: new Uint8Array(packed.subarray(end)) };
}

type Metadata = NonNullable<Payload['metadata']>;

function createHead(metadata: Metadata): Buffer {
  const named = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  const head = Buffer.from(`    ${JSON.stringify(Object.fromEntries(named))}`);
  head.writeUInt32BE(head.length - 4);
  return head;
}

/** The heads of nearly all payloads, created once, because each change has several payloads. */
const commonHeads = new Map(
  ['json/plain', 'binary/null', 'binary/plain'].map((name) => [name, createHead({ encoding: new TextEncoder().encode(name) })]),
);

function toHead(metadata: Metadata): Buffer {
  const common = Object.keys(metadata).length === 1 ? commonHeads.get(toText(metadata['encoding'])) : undefined;
  return common ?? createHead(metadata);
}

function readHead(head: Buffer): Metadata {
  for (const [name, common] of commonHeads) if (common.equals(head)) return { encoding: new Uint8Array(Buffer.from(name)) };
  const named = Object.entries(JSON.parse(head.toString('utf8', 4)) as Record<string, string>);
  return Object.fromEntries(named.map(([name, value]) => [name, new Uint8Array(Buffer.from(value, 'base64'))]));
}

/** Protobuf returns an empty field as a plain array. */
const toText = (bytes: Uint8Array | null | undefined) =>
  bytes?.length ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() : '';
