import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDirectory } from '../service.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { HostileTarget } from './service.ts';

/** What a tenant with one valid SCIM secret can do. */
export interface Attack {
  target: HostileTarget;
  directory: TestDirectory;
  /** Sends a request and reads its whole response; the status, or 0 if the connection ended first. */
  send(method: string, path: string, body?: unknown, options?: SendOptions): Promise<number>;
  /** Sends a request that must succeed, and returns the body of the response. */
  prepare<Body = { id: string }>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Calls `count` times, `atOnce` of them concurrently. */
  repeat(count: number, atOnce: number, call: (index: number) => Promise<number>): Promise<void>;
  /** A raw connection, which is closed after the attack. */
  connect(): Socket;
  /** How often each status was received. */
  statuses: Map<number, number>;
  ledger: Ledger;
}

interface SendOptions {
  headers?: Record<string, string>;
  /** Disconnects after this time, without waiting for the response. */
  leaveAfterMs?: number;
}

const timeoutMs = 60_000;

interface ReadResponse {
  status: number;
  location: string | undefined;
  /** Of a request that changes something. */
  text: string;
}

export function createAttack(target: HostileTarget, directory: TestDirectory): Attack & { end(): void } {
  const statuses = new Map<number, number>();
  const sockets = new Set<Socket>();
  const agent = new Agent({ keepAlive: true });
  const ledger = createLedger(directory.id);
  const url = (path: string) => `${target.baseUrl}/api/scim/v2.0/${directory.id}${path}`;

  /** Not with `fetch`, which takes several times as much of the processor that the service needs. */
  function sendRequest(method: string, path: string, body: unknown, { headers, leaveAfterMs = timeoutMs }: SendOptions = {}) {
    return new Promise<ReadResponse>((resolve, reject) => {
      const sent = request(
        url(path),
        {
          method,
          agent,
          headers: {
            authorization: `Bearer ${directory.secret}`,
            ...(body !== undefined && { 'content-type': 'application/scim+json' }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => void (method !== 'GET' && chunks.push(chunk)));
          response.on('error', reject);
          response.on('end', () => {
            clearTimeout(timer);
            resolve({ status: response.statusCode!, location: response.headers.location, text: Buffer.concat(chunks).toString() });
          });
        },
      );
      const timer = setTimeout(() => sent.destroy(), leaveAfterMs);
      sent.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      sent.on('close', () => reject(new Error('The connection ended.')));
      sent.end(body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
  }

  return {
    target,
    directory,
    statuses,
    ledger,
    async send(method, path, body, options) {
      let status = 0;
      try {
        const { location, text, ...sent } = await sendRequest(method, path, body, options);
        ({ status } = sent);
        ledger.note({ method, path, body, status, location, ...(path === '/Bulk' && { text }) });
      } catch {
        // The connection ended, or the attacker has disconnected.
        ledger.note({ method, path, body, status });
      }
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return status;
    },
    async prepare<Body>(method: string, path: string, body?: unknown) {
      const { status, location, text } = await sendRequest(method, path, body);
      ledger.note({ method, path, body, status, location, text });
      if (status >= 300) throw new Error(`${method} ${path.slice(0, 100)} got ${status}: ${text.slice(0, 500)}`);
      return (text === '' ? undefined : JSON.parse(text)) as Body;
    },
    async repeat(count, atOnce, call) {
      let next = 0;
      const lane = async () => {
        for (let index = next++; index < count; index = next++) await call(index);
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    },
    connect() {
      const { hostname, port } = new URL(target.baseUrl);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      sockets.add(socket);
      return socket;
    },
    end() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
    },
  };
}

/** Attacks that hold a resource use it. */
export const holdForMs = (ms: number) => delay(ms);
