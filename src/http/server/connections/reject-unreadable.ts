import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { toErrorBody } from '../../../scim/errors.ts';
import { endParsing } from './parse-in-pieces.ts';

const patienceMs = 2_000;

/** What is refused before it is a request: mostly what Node's parser gives up on. */
const refusals: Record<string, { status: number; detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: "The request's head is larger than 16 KiB; a long filter goes by POST to /.search." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The chunks of the body say more of themselves than is taken.' },
  TOO_MANY_HEADERS: { status: 431, detail: 'The request has more than 200 header fields.' },
  NO_HOST: { status: 400, detail: 'The request has no Host header.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time.' },
};
const malformed = { status: 400, detail: 'The request is not valid HTTP.' };

/** Answers what never became a request. After the answer the client has a moment to read it: what it still sends is passed over. */
export function refuseUnreadable({ code = '' }: { code?: string }, socket: Duplex): void {
  endParsing(socket);
  if (!socket.writable || code === 'ECONNRESET') return;
  socket.end(toAnswer(refusals[code] ?? malformed));
  const cut = setTimeout(() => socket.destroy(), patienceMs);
  socket.once('close', () => clearTimeout(cut));
}

/** The address is not known, so neither is its dialect: the body is an error in both. */
function toAnswer(refusal: { status: number; detail: string }): string {
  const { status, detail } = refusal;
  const body = JSON.stringify({ ...toErrorBody(refusal), data: null, error: { code: 'invalid_request', message: detail } });
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
