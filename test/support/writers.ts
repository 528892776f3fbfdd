import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceResponse, TestDirectory } from './service.ts';

export interface Acknowledged {
  directoryId: string;
  userName: string;
  id: string;
}

export interface Writers {
  /** Users whose create got 201. */
  acknowledged: Acknowledged[];
  /** How often each status was received. A broken connection counts as `dropped`. */
  responses: Record<string, number>;
  /** Responses that an identity provider must never get because of our faults. */
  wrong: string[];
  slowestMs: number;
  /** Stops each writer after its current request. */
  stop(): Promise<void>;
}

/** Identity providers that push one new user after the other, and repeat each until it is acknowledged. */
export function startWriters(directories: TestDirectory[], { writers = 8 }: { writers?: number } = {}): Writers {
  let stopping = false;
  const state: Omit<Writers, 'stop'> = { acknowledged: [], responses: {}, wrong: [], slowestMs: 0 };
  const count = (kind: string) => (state.responses[kind] = (state.responses[kind] ?? 0) + 1);

  async function write(writer: number) {
    const directory = directories[writer % directories.length]!;
    for (let number = 1; !stopping; number += 1) await push(directory, `writer-${writer}-user-${number}@example.com`);
  }

  async function push(directory: TestDirectory, userName: string) {
    for (let mayExist = false; !stopping; mayExist = true) {
      const sentAtMs = performance.now();
      const response = await directory.scim('POST', '/Users', { userName }).catch(() => 'dropped' as const);
      state.slowestMs = Math.max(state.slowestMs, performance.now() - sentAtMs);
      count(response === 'dropped' ? response : String(response.status));
      if (response !== 'dropped') {
        if (response.status === 201) state.acknowledged.push({ directoryId: directory.id, userName, id: response.body.id as string });
        if (response.status === 201 || (response.status === 409 && mayExist)) return;
        if (!isDown(response)) state.wrong.push(`${response.status} ${JSON.stringify(response.body)} for ${userName}`);
      }
      await delay(50);
    }
  }

  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return Object.assign(state, {
    async stop() {
      stopping = true;
      await writing;
    },
  });
}

const isDown = ({ status, headers, body }: ServiceResponse) =>
  status === 503 && Number(headers.get('retry-after')) > 0 && body.status === '503';
