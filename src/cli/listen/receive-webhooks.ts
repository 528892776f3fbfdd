import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DirectoryEvent, TestEvent } from '../../client/index.ts';
import { timingSafeEqual } from 'node:crypto';
import { createSignatureHeaders } from '../../webhooks/sign.ts';

export interface ReceivedDelivery {
  events: (DirectoryEvent | TestEvent)[];
  /** What Rollcall got as a response. */
  status: number;
  durationMs: number;
  /** Why the delivery was not accepted. */
  error?: string;
}

interface ReceiverOptions {
  directoryId: string;
  port: number;
  /** Address of a tunnel to the port. */
  publicUrl?: string | undefined;
  /** Reads the webhook secret of the directory. It is read again when a signature does not match: it may have been rotated. */
  readSecret(): Promise<string>;
  /** Where verified webhooks are sent on to. */
  forwardTo?: string | undefined;
  onDelivery(delivery: ReceivedDelivery): void;
}

interface WebhookReceiver {
  /** Where Rollcall sends webhooks. */
  url: string;
  close(): Promise<void>;
}

/** Ends the URL of every `listen`, even of one behind a tunnel. */
const path = '/rollcall-listen';
/** The directory whose webhooks are received. */
const listenerHeader = 'rollcall-listen';
const probeTimeoutMs = 2_000;

/** Whether a webhook URL leads to a running `listen` of this directory. Other receivers are not called. */
export async function findListener(url: string, directoryId: string): Promise<'running' | 'dead' | 'none'> {
  if (!url.endsWith(path)) return 'none';
  const signal = AbortSignal.timeout(probeTimeoutMs);
  const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(() => undefined);
  return response?.headers.get(listenerHeader) === directoryId ? 'running' : 'dead';
}

const maxBodyBytes = 32 * 1024 * 1024;
const forwardTimeoutMs = 15_000;

/**
 * Receives webhooks on this machine, verifies each one, and forwards it with its headers.
 * Rollcall gets the response of the forwarded request.
 */
export async function receiveWebhooks(options: ReceiverOptions): Promise<WebhookReceiver> {
  const verify = createVerify(options.readSecret);
  const server = createServer((request, response) => {
    response.setHeader(listenerHeader, options.directoryId);
    if (request.method === 'HEAD') return void response.end();
    const startedMs = performance.now();
    void receive(request, verify, options.forwardTo)
      .catch((error: Error): Received => ({ events: [], status: 500, error: error.message }))
      .then((received) => respond(response, { ...received, durationMs: performance.now() - startedMs }));
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${options.publicUrl?.replace(/\/+$/, '') ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`}${path}`,
    async close() {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };

  function respond(response: ServerResponse, delivery: ReceivedDelivery): void {
    response.writeHead(delivery.status).end();
    options.onDelivery(delivery);
  }
}

type Received = Omit<ReceivedDelivery, 'durationMs'>;

async function receive(request: IncomingMessage, verify: Verify, forwardTo: string | undefined): Promise<Received> {
  if (request.method !== 'POST') return { events: [], status: 405, error: `${request.method} is not a webhook` };
  const body = await readBody(request);
  if (!body) return { events: [], status: 413, error: 'the body is too large' };
  if (!(await verify(body, request.headers))) return { events: [], status: 401, error: 'the signature is invalid' };
  const parsed = JSON.parse(body.toString()) as ReceivedDelivery['events'] | ReceivedDelivery['events'][number];
  const events = Array.isArray(parsed) ? parsed : [parsed];
  return forwardTo === undefined ? { events, status: 200 } : { events, ...(await forward(forwardTo, request.headers, body)) };
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Headers of the connection, which the next one sets itself. */
const hopByHop = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

async function forward(url: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Pick<Received, 'status' | 'error'>> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !hopByHop.has(name) ? [[name, value] as [string, string]] : [],
  );
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: kept,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(forwardTimeoutMs),
    });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    return { status: 502, error: `${url} can't be reached: ${explain(error as Error)}` };
  }
}

function explain({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return `no response within ${forwardTimeoutMs / 1_000} s`;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

/** Whether Rollcall signed this webhook within the last five minutes. */
type Verify = (body: Buffer, headers: IncomingHttpHeaders) => Promise<boolean>;

const maxAgeMs = 5 * 60_000;

function createVerify(readSecret: () => Promise<string>): Verify {
  let secret: Promise<string> | undefined;
  return async function verify(body, { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures }) {
    if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
    const atMs = Number(timestamp) * 1_000;
    if (!(Math.abs(Date.now() - atMs) <= maxAgeMs)) return false;
    const isSignedWith = (key: string) => {
      const expected = createSignatureHeaders({ id, body, secrets: [key], atMs })['webhook-signature']!;
      return signatures.split(' ').some((signature) => isEqual(signature, expected));
    };
    secret ??= readSecret();
    if (isSignedWith(await secret)) return true;
    secret = readSecret();
    return isSignedWith(await secret);
  };
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
