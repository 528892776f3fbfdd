import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { toErrorBody } from '../../../scim/errors.ts';
import { endParsing } from './parse-in-pieces.ts';

const lingerMs = 2_000;

/** Errors before there is a request, mostly from Node's parser. */
const errors: Record<string, { status: number; detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers are larger than 16 KiB. Send a long filter by POST to /.search.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunk extensions of the body are too large.' },
  TOO_MANY_HEADERS: { status: 431, detail: 'The request has more than 200 headers.' },
  NO_HOST: { status: 400, detail: 'The request has no Host header.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time.' },
};
const malformed = { status: 400, detail: 'The request is not valid HTTP.' };

/** Responds to what never became a request. The client then has a moment to read the response; what it still sends is ignored. */
export function rejectUnreadable({ code = '' }: { code?: string }, socket: Duplex): void {
  endParsing(socket);
  if (!socket.writable || code === 'ECONNRESET') return;
  socket.end(toResponse(errors[code] ?? malformed));
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

/** The path is unknown, and so the format of the error: the body has both. */
function toResponse(error: { status: number; detail: string }): string {
  const { status, detail } = error;
  const body = JSON.stringify({ ...toErrorBody(error), data: null, error: { code: 'invalid_request', message: detail } });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
