import { createClient, type ScimRequest } from './client.ts';
import { percentile } from './statistics.ts';
import type { BenchDirectory } from './directories.ts';
import { createUser, makeUser, nextTag, patchUser, type CreatedUser } from './users.ts';

/** Returns the next request of a writer. */
export type Source = (writer: number) => ScimRequest;

export interface Load {
  /** Sends requests until their number or the time is reached. */
  run(source: Source, limit: { requests?: number; seconds: number }): Promise<Slice>;
  close(): Promise<void>;
}

export interface Slice {
  done: number;
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
  writers: number;
  signal: AbortSignal;
}

/** Creates writers. Each has its own persistent connection, and waits for the response before it sends the next request. */
export function createLoad({ baseUrl, writers, signal }: LoadOptions): Load {
  const client = createClient({ baseUrl, connections: writers, signal });
  return {
    async run(source, { requests = Number.POSITIVE_INFINITY, seconds }) {
      const latenciesMs: number[] = [];
      const failures: string[] = [];
      let sent = 0;
      const startedMs = performance.now();
      const write = async (writer: number) => {
        while (sent < requests && performance.now() - startedMs < seconds * 1000) {
          sent += 1;
          const { ms, failure } = await client.send(source(writer));
          if (failure === undefined) latenciesMs.push(ms);
          else failures.push(failure);
        }
      };
      await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
      return summarise(latenciesMs, failures, (performance.now() - startedMs) / 1000);
    },
    close: () => client.close(),
  };
}

function summarise(latenciesMs: number[], failures: string[], seconds: number): Slice {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  return {
    done: sorted.length,
    seconds,
    perSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
    failures: failures.length,
    firstFailure: failures[0],
  };
}

/** Creates a new user with each request, rotating through the directories. */
export function createUserSource(directories: BenchDirectory[]): Source {
  let sent = 0;
  return () => createUser(directories[(sent += 1) % directories.length]!, makeUser(nextTag()));
}

/** Each writer alternately deactivates and activates its own users, so that every request is a change. */
export function createToggleSource(usersPerWriter: CreatedUser[][]): Source {
  const turns = usersPerWriter.map(() => 0);
  return (writer) => {
    const users = usersPerWriter[writer]!;
    const turn = turns[writer]!;
    turns[writer] = turn + 1;
    const active = Math.floor(turn / users.length) % 2 === 1;
    return patchUser(users[turn % users.length]!, { op: 'replace', value: { active } });
  };
}
