import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../../src/paths.ts';

export interface OtherTenantOptions {
  baseUrl: string;
  id: string;
  secret: string;
}

export interface OtherTenantFigures {
  requests: number;
  /** Responses of 4xx and 5xx, and requests without a response. */
  failures: string[];
  worstMs: number;
  medianMs: number;
}

/** Another tenant, which pushes a user and reads one ten times a second. */
export interface OtherTenant {
  acknowledged: string[];
  /** The figures since the last call, with those of requests that are still in progress. */
  takeFigures(): Promise<OtherTenantFigures>;
  /** Ends it, and returns the last figures. */
  stop(): Promise<OtherTenantFigures>;
}

export type ToOtherTenant = 'figures' | 'stop';
export type FromOtherTenant = { acknowledged: string } | OtherTenantFigures;

/** Runs in its own process, so that the cost of the attack for the test does not slow it down. */
export function startOtherTenant({ baseUrl, id, secret }: OtherTenantOptions): OtherTenant {
  const given = JSON.stringify({ baseUrl, id, secret } satisfies OtherTenantOptions);
  const child = fork(join(packageRoot, 'dist/test/support/hostile/other-tenant-process.js'), [given], { execArgv: [] });
  const acknowledged: string[] = [];
  const waiting: { resolve(figures: OtherTenantFigures): void; reject(error: Error): void }[] = [];
  child.on('message', (message: FromOtherTenant) => {
    if ('acknowledged' in message) acknowledged.push(message.acknowledged);
    else waiting.shift()?.resolve(message);
  });
  child.once('exit', () => {
    for (const { reject } of waiting) reject(new Error('The other tenant has ended.'));
  });
  const ask = (what: ToOtherTenant) =>
    new Promise<OtherTenantFigures>((resolve, reject) => {
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
