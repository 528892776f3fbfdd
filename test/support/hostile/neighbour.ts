import { setTimeout as delay } from 'node:timers/promises';
import type { TestDirectory } from '../service.ts';

export interface NeighbourFigures {
  requests: number;
  /** Responses of 5xx, and requests without a response. */
  failures: string[];
  worstMs: number;
  medianMs: number;
}

/** Another tenant: it pushes a user or reads one ten times a second, whatever else the service does. */
export interface Neighbour {
  acknowledged: string[];
  /** The figures since the last call. */
  takeFigures(): NeighbourFigures;
  stop(): Promise<void>;
}

const everyMs = 100;
const timeoutMs = 30_000;

export function startNeighbour(directory: TestDirectory): Neighbour {
  const acknowledged: string[] = [];
  const inFlight = new Set<Promise<void>>();
  let timings: number[] = [];
  let failures: string[] = [];
  let isStopped = false;
  const loop = run();
  return {
    acknowledged,
    takeFigures() {
      const sorted = timings.toSorted((a, b) => a - b);
      const figures = {
        requests: timings.length,
        failures,
        worstMs: Math.round(sorted.at(-1) ?? 0),
        medianMs: Math.round(sorted[sorted.length >> 1] ?? 0),
      };
      [timings, failures] = [[], []];
      return figures;
    },
    async stop() {
      isStopped = true;
      await loop;
      await Promise.all(inFlight);
    },
  };

  /** Requests begin on time even while earlier ones wait, so that a stall shows in all of them. */
  async function run() {
    const startedMs = performance.now();
    for (let count = 0; !isStopped; count += 1) {
      const request = (count % 2 === 0 ? push(count) : read()).finally(() => inFlight.delete(request));
      inFlight.add(request);
      await delay(Math.max(0, startedMs + (count + 1) * everyMs - performance.now()));
    }
  }

  async function push(count: number) {
    const userName = `neighbour-${count}@example.com`;
    const body = await timed('POST', () =>
      directory.scim('POST', '/Users', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName }),
    );
    if (body) acknowledged.push(body.id);
  }

  async function read() {
    const id = acknowledged.at(-1);
    await timed('GET', () => directory.scim('GET', id === undefined ? '/Users?count=1' : `/Users/${id}`));
  }

  async function timed(method: string, send: () => ReturnType<TestDirectory['scim']>): Promise<{ id: string } | undefined> {
    const startedMs = performance.now();
    const late = delay(timeoutMs).then(() => undefined);
    try {
      const response = await Promise.race([send(), late]);
      if (!response) failures.push(`${method}: no response within ${timeoutMs} ms`);
      else if (response.status >= 400) failures.push(`${method}: ${response.status} ${JSON.stringify(response.body)}`);
      else return response.body;
    } catch (error) {
      failures.push(`${method}: ${(error as Error).message}`);
    } finally {
      timings.push(performance.now() - startedMs);
    }
    return undefined;
  }
}
