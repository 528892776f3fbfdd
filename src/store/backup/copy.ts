import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** COPY functions of `pg` that its types omit. */
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
/** With more buffered bytes the connection is paused. */
const maxBufferedBytes = 4 * 1024 * 1024;

/** Yields the output of `copy … to stdout` in large chunks, with backpressure. Returns the number of rows. */
export async function* copyOut(client: pg.Client, text: string): AsyncGenerator<Buffer, number> {
  const waiting: Buffer[] = [];
  const collecting = createCollector((chunk) => waiting.push(chunk));
  let stream: Duplex | undefined;
  let wake: (() => void) | undefined;
  let ended: { rows: number; error?: Error } | undefined;
  let rows = 0;
  const end = (error?: Error) => {
    ended ??= { rows, ...(error && { error }) };
    // The last rows may have paused it, and the next query waits for its answer.
    stream?.resume();
    wake?.();
  };
  const copy: Copy = {
    submit(connection) {
      stream = connection.stream;
      connection.query(text);
    },
    handleCopyInResponse: (connection) => connection.sendCopyFail('unexpected COPY direction'),
    handleCopyData({ chunk }) {
      collecting.add(chunk);
      if (waiting.length * chunkBytes > maxBufferedBytes) stream!.pause();
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

/** Sends chunks to `copy … from stdin`. Returns the number of rows. */
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
  // An error of the source is closer to the cause than the aborted copy.
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

/** Also resolves when the stream closes, since the copy has failed then. */
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

/** Combines small messages into chunks. Each message is one row, in a buffer that `pg` reuses. */
function createCollector(emit: (chunk: Buffer) => void) {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let length = 0;
  const flush = () => {
    if (length === 0) return;
    emit(buffer.subarray(0, length));
    buffer = Buffer.allocUnsafe(chunkBytes);
    length = 0;
  };
  return {
    flush,
    add(chunk: Buffer) {
      if (length + chunk.length > chunkBytes) flush();
      if (chunk.length > chunkBytes) return emit(Buffer.from(chunk));
      length += chunk.copy(buffer, length);
    },
  };
}
