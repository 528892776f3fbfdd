import { PassThrough, type Readable, type Writable } from 'node:stream';
import busboy from 'busboy';
import type { Context } from 'koa';
import type { ArrivingFile } from '../../../directory/files/files.ts';
import { type FileKind, fileKinds, fileNames } from '../../../directory/files/ports.ts';
import { AppError } from '../../../errors.ts';
import { drainBody } from '../../server/body/read-json.ts';
import { receiveBody } from '../../server/body/receive-body.ts';
import { watchUpload } from './watch-upload.ts';

interface Receiving {
  maxFileBytes: number;
  charset: string | undefined;
}

/** Of the parts, beside the bytes of the files. */
const maxPartHeaders = 20;

/** The one file of a `text/csv` request. */
export async function* receiveOne(
  ctx: Context,
  kind: FileKind,
  { maxFileBytes, charset }: Receiving,
): AsyncGenerator<ArrivingFile, void, undefined> {
  const target = new PassThrough();
  // An error is thrown where the file is read, and nobody reads a file to its end if it has a problem.
  target.on('error', nothing);
  const closed = new Promise((resolve) => target.once('close', resolve));
  const end = pump(ctx, target, maxFileBytes);
  try {
    yield { kind, charset, bytes: limitBytes(target, fileNames[kind], maxFileBytes) };
    // Many senders read no response before they have sent everything.
    await closed;
  } finally {
    end();
  }
}

/** The files of a `multipart/form-data` request, in their order. */
export async function* receiveMultipart(ctx: Context, { maxFileBytes, charset }: Receiving): AsyncGenerator<ArrivingFile, void, undefined> {
  const arrived: { kind: FileKind | undefined; stream: Readable }[] = [];
  let wake: () => void = nothing;
  let failure: unknown;
  let isOver = false;
  const parser = createParser(ctx, maxFileBytes);
  const fail = (error: unknown) => {
    failure ??= error instanceof AppError ? error : invalidForm('The body is not valid multipart/form-data.');
    isOver = true;
    wake();
  };
  parser
    .on('file', (name, stream, { filename }) => {
      // An error of the request ends the file too, and is thrown where the file is read, or below.
      stream.on('error', fail);
      arrived.push({ kind: kindOf(filename) ?? kindOf(name), stream });
      wake();
    })
    .on('filesLimit', () => fail(invalidForm('The request has more than three files.')))
    .on('fieldsLimit', () => fail(invalidForm('The request has a field that is no file.')))
    .on('partsLimit', () => fail(invalidForm('The request has too many parts.')))
    .on('error', fail)
    .on('close', () => {
      isOver = true;
      wake();
    });
  const end = pump(ctx, parser, fileKinds.length * maxFileBytes + maxFormBytes);
  try {
    for (;;) {
      const file = arrived.shift();
      if (file?.kind) {
        yield { kind: file.kind, charset, bytes: limitBytes(file.stream, fileNames[file.kind], maxFileBytes) };
        if (failure !== undefined) throw failure;
      } else if (file) throw invalidForm(`A file must be named ${Object.values(fileNames).join(', ')}.`);
      else if (failure !== undefined) throw failure;
      else if (isOver) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    end();
  }
}

const nothing = () => undefined;

/** Boundaries and headers of the parts. */
const maxFormBytes = 65_536;

const invalidForm = (message: string) => new AppError('invalid_request', message);

function createParser(ctx: Context, maxFileBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers: { ...ctx.req.headers, 'content-type': ctx.get('content-type') },
      limits: { files: fileKinds.length, fields: 0, parts: fileKinds.length + 1, headerPairs: maxPartHeaders, fileSize: maxFileBytes + 1 },
    });
  } catch (error) {
    throw new AppError('invalid_request', 'The body is not valid multipart/form-data.', { cause: error });
  }
}

function kindOf(name: string | undefined): FileKind | undefined {
  const [base = ''] = (name ?? '').toLowerCase().split(/[/\\]/).slice(-1);
  return fileKinds.find((kind) => base === fileNames[kind] || `${base}.csv` === fileNames[kind]);
}

/** Passes the body on as it arrives. What is returned ends it: the rest of the body is left to the connection. */
function pump(ctx: Context, target: Writable, maxBytes: number): () => void {
  let received = 0;
  let isOver = false;
  const watch = watchUpload(ctx, (error) => void target.destroy(error));
  receiveBody(ctx.req, (chunk) => {
    if (isOver) throw over;
    received += chunk.length;
    watch.note(chunk.length);
    if (received > maxBytes) throw fileTooLarge('The files', maxBytes);
    if (target.destroyed || target.write(chunk)) return undefined;
    return untilWritable(target);
  }).then(
    () => void target.end(),
    (error: unknown) => {
      target.destroy(
        error instanceof AppError
          ? error
          : new AppError('invalid_request', 'The connection ended before the files were complete.', { cause: error }),
      );
      if (error instanceof AppError) void drainBody(ctx.req, ctx.res);
    },
  );
  return () => {
    isOver = true;
    watch.end();
    if (!target.destroyed) target.destroy();
  };
}

/** The request has failed already: nobody sees this. */
const over = new AppError('invalid_request', 'The upload has ended.');

const untilWritable = (target: Writable) =>
  new Promise<void>((resolve) => {
    const go = () => {
      target.off('drain', go).off('close', go);
      resolve();
    };
    target.on('drain', go).on('close', go);
  });

/** Whoever stops reading lets the rest of the file pass, so that the next one can arrive. */
async function* limitBytes(stream: Readable, name: string, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let received = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > maxBytes) throw fileTooLarge(name, maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof AppError
      ? error
      : new AppError('invalid_request', 'The body is not valid multipart/form-data.', { cause: error });
  } finally {
    stream.resume();
  }
}

const fileTooLarge = (what: string, maxBytes: number) =>
  new AppError(
    'payload_too_large',
    `${what} ${what.endsWith('s') ? 'have' : 'has'} more than ${maxBytes} bytes (DSYNC_CSV_MAX_FILE_BYTES).`,
  );
