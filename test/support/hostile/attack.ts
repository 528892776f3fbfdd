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
  /** Sends a request that must succeed, and gives the response's body. */
  prepare<Body = { id: string }>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Calls many times, a number of them at once. */
  repeat(count: number, atOnce: number, call: (index: number) => Promise<number>): Promise<void>;
  /** A bare connection; closed when the attack is over. */
  connect(): Socket;
  /** How often each status came, for the table. */
  statuses: Map<number, number>;
  ledger: Ledger;
}

interface SendOptions {
  headers?: Record<string, string>;
  /** Leaves after this time, without waiting for the response. */
  leaveAfterMs?: number;
}

const timeoutMs = 60_000;

export function createAttack(target: HostileTarget, directory: TestDirectory): Attack & { end(): void } {
  const statuses = new Map<number, number>();
  const sockets = new Set<Socket>();
  const ledger = createLedger(directory.id);
  const url = (path: string) => `${target.baseUrl}/api/scim/v2.0/${directory.id}${path}`;

  async function fetchScim(method: string, path: string, body: unknown, { headers, leaveAfterMs = timeoutMs }: SendOptions = {}) {
    const response = await fetch(url(path), {
      method,
      signal: AbortSignal.timeout(leaveAfterMs),
      headers: {
        authorization: `Bearer ${directory.secret}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, response };
  }

  return {
    target,
    directory,
    statuses,
    ledger,
    async send(method, path, body, options) {
      let status = 0;
      try {
        const sent = await fetchScim(method, path, body, options);
        let text: string | undefined;
        if (path === '/Bulk') text = await sent.response.text();
        else for await (const chunk of sent.response.body ?? []) void chunk;
        ({ status } = sent);
        ledger.note({ method, path, body, status, location: sent.response.headers.get('location'), ...(text !== undefined && { text }) });
      } catch {
        // The connection ended, or the attacker has left.
        ledger.note({ method, path, body, status });
      }
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return status;
    },
    async prepare<Body>(method: string, path: string, body?: unknown) {
      const { status, response } = await fetchScim(method, path, body);
      const text = await response.text();
      ledger.note({ method, path, body, status, location: response.headers.get('location'), text });
      if (!response.ok) throw new Error(`${method} ${path.slice(0, 100)} got ${status}: ${text.slice(0, 500)}`);
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
    end: () => sockets.forEach((socket) => socket.destroy()),
  };
}

/** For attacks that consist in holding on. */
export const holdForMs = (ms: number) => delay(ms);
