import { Pool } from 'undici';
import type { BenchDirectory } from './directories.ts';
import { percentile } from './statistics.ts';

export interface Load {
  /** Pushes users until as many as asked for are answered, or the time is over. */
  run(limit: { requests?: number; seconds: number }): Promise<Slice>;
  close(): Promise<void>;
}

export interface Slice {
  creates: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  failures: number;
  firstFailure: string | undefined;
}

export interface LoadOptions {
  baseUrl: string;
  directories: BenchDirectory[];
  writers: number;
  signal: AbortSignal;
}

let lastNumber = 0;

/** Writers that each wait for an answer before they push the next user, every one over a connection that stays open. */
export function createLoad({ baseUrl, directories, writers, signal }: LoadOptions): Load {
  const pool = new Pool(baseUrl, { connections: writers, pipelining: 1 });

  async function push(directory: BenchDirectory): Promise<{ ms: number; failure?: string }> {
    const user = JSON.stringify(makeUser((lastNumber += 1)));
    const startedMs = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: directory.usersPath,
      headers: { authorization: `Bearer ${directory.secret}`, 'content-type': 'application/scim+json' },
      body: user,
      signal,
    });
    const text = await body.text();
    const ms = performance.now() - startedMs;
    return statusCode === 201 ? { ms } : { ms, failure: `${statusCode} ${text.slice(0, 200)}` };
  }

  return {
    async run({ requests = Number.POSITIVE_INFINITY, seconds }) {
      const latenciesMs: number[] = [];
      const failures: string[] = [];
      let sent = 0;
      const startedMs = performance.now();
      const write = async () => {
        while (sent < requests && performance.now() - startedMs < seconds * 1000) {
          sent += 1;
          const { ms, failure } = await push(directories[sent % directories.length]!);
          if (failure === undefined) latenciesMs.push(ms);
          else failures.push(failure);
        }
      };
      await Promise.all(Array.from({ length: writers }, write));
      return summarise(latenciesMs, failures, (performance.now() - startedMs) / 1000);
    },
    close: () => pool.close(),
  };
}

function summarise(latenciesMs: number[], failures: string[], seconds: number): Slice {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return {
    creates: sorted.length,
    seconds,
    perSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
    failures: failures.length,
    firstFailure: failures[0],
  };
}

/** About what identity providers push: 600 bytes. */
function makeUser(number: number) {
  const userName = `ada.${process.pid}.${number}@example.com`;
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
    userName,
    externalId: `00u${process.pid}${number}`,
    name: { givenName: 'Ada', familyName: `Lovelace ${number}`, formatted: `Ada Lovelace ${number}` },
    displayName: `Ada Lovelace ${number}`,
    emails: [{ value: userName, type: 'work', primary: true }],
    phoneNumbers: [{ value: '+44 20 7946 0000', type: 'work' }],
    title: 'Analyst',
    locale: 'en-GB',
    active: true,
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { employeeNumber: String(number), department: 'Engines' },
  };
}
