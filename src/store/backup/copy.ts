import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** What `pg` has of the COPY protocol and its types do not name. */
interface CopyConnection {
  stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** `pg` calls these as the server's messages arrive. */
interface CopyHandlers {
  handleCopyInResponse(connection: CopyConnection): void;
  handleCopyData(message: { chunk: Buffer }, connection: CopyConnection): void;
  handleCommandComplete(message: { text: string }): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
}

interface Copy extends CopyHandlers {
  submit(connection: CopyConnection): void;
}

const chunkBytes = 128 * 1024;
/** What may wait here until the server is told to wait. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** The rows of `copy … to stdout` in large chunks; a reader that is slow slows the server. Gives how many rows there were. */
export async function* copyOut(client: pg.Client, text: string): AsyncGenerator<Buffer, number> {
  const waiting: Buffer[] = [];
  const collecting = createCollector((chunk) => waiting.push(chunk));
  let stream: Duplex | undefined;
  let wake: (() => void) | undefined;
  let ended: { rows: number; error?: Error } | undefined;
  let rows = 0;
  const end = (error?: Error) => {
    ended ??= { rows, ...(error && { error }) };
    wake?.();
  };
  const copy: Copy = {
    submit(connection) {
      stream = connection.stream;
      connection.query(text);
    },
    handleCopyInResponse: (connection) => connection.sendCopyFail('nothing is sent'),
    handleCopyData({ chunk }) {
      collecting.add(chunk);
      if (waiting.length * chunkBytes > maxWaitingBytes) stream!.pause();
      if (waiting.length > 0) wake?.();
    },
    handleCommandComplete({ text: tag }) {
      rows = rowsOf(tag);
      collecting.flush();
    },
    handleReadyForQuery: () => end(),
    handleError: (error) => end(error),
  };
  submit(client, copy);
  for (;;) {
    const chunk = waiting.shift();
    if (chunk) yield chunk;
    else if (ended?.error) throw ended.error;
    else if (ended) return ended.rows;
    else {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      stream?.resume();
      await woken;
    }
  }
}

/** Sends chunks to `copy … from stdin`, and gives how many rows the server took. */
export async function copyIn(client: pg.Client, text: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  let rows = 0;
  let failure: Error | undefined;
  let sending: Promise<Error | undefined> | undefined;
  await new Promise<void>((resolve) => {
    const copy: Copy = {
      submit: (connection) => connection.query(text),
      handleCopyInResponse: (connection) => void (sending = send(connection, chunks, () => failure !== undefined)),
      handleCopyData: () => undefined,
      handleCommandComplete: ({ text: tag }) => void (rows = rowsOf(tag)),
      handleReadyForQuery: () => resolve(),
      handleError(error) {
        failure = error;
        resolve();
      },
    };
    submit(client, copy);
  });
  // What the source has to say is nearer to the cause than that the copy was broken off.
  const cause = (await sending) ?? failure;
  if (cause) throw cause;
  return rows;
}

async function send(connection: CopyConnection, chunks: AsyncIterable<Buffer>, isOver: () => boolean): Promise<Error | undefined> {
  const { stream } = connection;
  try {
    for await (const chunk of chunks) {
      if (isOver()) return undefined;
      connection.sendCopyFromChunk(chunk);
      if (stream.writableNeedDrain) await drained(stream);
    }
    connection.endCopyFrom();
    return undefined;
  } catch (error) {
    connection.sendCopyFail('the source failed');
    return error as Error;
  }
}

/** Or closed: then the copy has failed. */
const drained = (stream: Duplex) =>
  new Promise<void>((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });

const submit = (client: pg.Client, copy: Copy) => void client.query(copy as unknown as pg.Submittable);

/** The number at the end of `COPY 42`. */
const rowsOf = (tag: string) => Number(tag.split(' ').at(-1));

/** A message is one row, in memory that is used again: small ones are gathered. */
function createCollector(give: (chunk: Buffer) => void) {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let length = 0;
  const flush = () => {
    if (length === 0) return;
    give(buffer.subarray(0, length));
    buffer = Buffer.allocUnsafe(chunkBytes);
    length = 0;
  };
  return {
    flush,
    add(chunk: Buffer) {
      if (length + chunk.length > chunkBytes) flush();
      if (chunk.length > chunkBytes) return give(Buffer.from(chunk));
      length += chunk.copy(buffer, length);
    },
  };
}
