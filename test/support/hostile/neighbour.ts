import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../../src/paths.ts';

export interface NeighbourOptions {
  baseUrl: string;
  id: string;
  secret: string;
}

export interface NeighbourFigures {
  requests: number;
  /** Responses of 4xx and 5xx, and requests without a response. */
  failures: string[];
  worstMs: number;
  medianMs: number;
}

/** Another tenant, which pushes a user and reads one ten times a second. */
export interface Neighbour {
  acknowledged: string[];
  /** The figures since the last call, with those of requests that are still in progress. */
  takeFigures(): Promise<NeighbourFigures>;
  /** Ends it, and returns the last figures. */
  stop(): Promise<NeighbourFigures>;
}

export type ToNeighbour = 'figures' | 'stop';
export type FromNeighbour = { acknowledged: string } | NeighbourFigures;

/** Runs in its own process, so that the cost of the attack for the test does not slow it down. */
export function startNeighbour({ baseUrl, id, secret }: NeighbourOptions): Neighbour {
  const given = JSON.stringify({ baseUrl, id, secret } satisfies NeighbourOptions);
  const child = fork(join(packageRoot, 'dist/test/support/hostile/neighbour-process.js'), [given], { execArgv: [] });
  const acknowledged: string[] = [];
  const waiting: { resolve(figures: NeighbourFigures): void; reject(error: Error): void }[] = [];
  child.on('message', (message: FromNeighbour) => {
    if ('acknowledged' in message) acknowledged.push(message.acknowledged);
    else waiting.shift()?.resolve(message);
  });
  child.once('exit', () => {
    for (const { reject } of waiting) reject(new Error('The neighbour has ended.'));
  });
  const ask = (what: ToNeighbour) =>
    new Promise<NeighbourFigures>((resolve, reject) => {
      waiting.push({ resolve, reject });
      child.send(what);
    });
  return {
    acknowledged,
    takeFigures: () => ask('figures'),
    async stop() {
      const ended = once(child, 'exit');
      const figures = await ask('stop');
      await ended;
      return figures;
    },
  };
}
