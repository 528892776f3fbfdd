import { InvalidArgument } from './build-request.ts';
import type { ListedGroup, User } from './generated/types.ts';
import type { CallOptions, ClientError } from './result.ts';
import { causeOf, hintsOf, parse, type Service } from './send.ts';

/** The lines of a snapshot, in this order. */
export type SnapshotLine =
  | {
      type: 'start';
      directory_id: string;
      tenant: string;
      product: string;
      /** The sequence of the last event whose change is included. */
      sequence: number;
      /** The cursor with which the event feed of the directory continues. */
      after: string;
      taken_at: string;
    }
  | { type: 'user'; data: User }
  | { type: 'group'; data: ListedGroup }
  | { type: 'membership'; data: { group_id: string; user_id: string } }
  | { type: 'end'; sequence: number; after: string; users: number; groups: number; memberships: number };

/** A snapshot could not be read to its end. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
  readonly details: ClientError;
  /** The status of the HTTP response, if it is the reason; otherwise 0. */
  readonly status: number;

  constructor(details: ClientError, status = 0) {
    super(details.message);
    this.details = details;
    this.status = status;
  }
}

/** A stream without data for this long has failed. */
const stallMs = 60_000;

/**
 * Yields the lines of a snapshot as they arrive. The last one is `end`: a snapshot that ends without it throws a `SnapshotError`, and must be
 * read again.
 */
export async function* readSnapshot(
  service: Service,
  directoryId: string,
  { signal, timeoutMs = stallMs }: CallOptions = {},
): AsyncGenerator<SnapshotLine, void, undefined> {
  if (typeof directoryId !== 'string' || !/^[\w-]+$/.test(directoryId))
    throw new InvalidArgument('directoryId', 'directoryId must be an ID, for example 0f3c2a9e-6c1b-4c57-9d53-0c8f3a1b2d4e.');
  const address = `${service.baseUrl}/api/v1/directory-sync/${directoryId}/snapshot`;
  const controller = new AbortController();
  const abort = () => controller.abort();
  /** Limits the time of the service, not that of the code that uses the lines. */
  const withStallTimeout = async <Found>(work: Promise<Found>): Promise<Found> => {
    const timer = setTimeout(abort, timeoutMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  };
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const response = await withStallTimeout(
      service.fetch(address, {
        headers: { authorization: `Api-Key ${service.apiKey}` },
        redirect: 'manual',
        signal: controller.signal,
      }),
    );
    if (response.status !== 200 || !response.body)
      throw new SnapshotError(await withStallTimeout(readError(response, address)), response.status);
    yield* readLines(response.body, withStallTimeout);
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    throw new SnapshotError(
      signal?.aborted
        ? { code: 'aborted', message: `The snapshot at ${address} was aborted by its signal.` }
        : { code: 'unreachable', message: `The snapshot at ${address} ended early (${causeOf(error)}): begin again.` },
    );
  } finally {
    signal?.removeEventListener('abort', abort);
    // Also closes a stream that was not read to its end.
    abort();
  }
}

async function* readLines(
  body: ReadableStream<Uint8Array>,
  withStallTimeout: <Found>(work: Promise<Found>) => Promise<Found>,
): AsyncGenerator<SnapshotLine, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isComplete = false;
  for (;;) {
    const { done, value } = await withStallTimeout(reader.read());
    if (done) break;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const read = parse(line) as SnapshotLine | undefined;
      if (!read) throw new SnapshotError({ code: 'invalid_response', message: 'A line of the snapshot is not JSON: begin again.' });
      yield read;
      isComplete = read.type === 'end';
    }
  }
  if (!isComplete || rest !== '') throw new SnapshotError({ code: 'unreachable', message: 'The snapshot has no last line: begin again.' });
}

async function readError(response: Response, address: string): Promise<ClientError> {
  const error = parse(await response.text())?.['error'] as ClientError | undefined;
  if (typeof error?.code === 'string') return { ...error, ...hintsOf(response.headers) };
  const message = `${address} responded with ${response.status} and something that is not Rollcall's.`;
  return { code: 'invalid_response', message, ...hintsOf(response.headers) };
}
