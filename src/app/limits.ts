import type { Config } from '../config.ts';
import type { LimitingDeps } from '../http/server/limits/limit-requests.ts';
import type { Leases } from '../limits/ports.ts';
import { type LimitsMetrics, createLimits, projectKeys } from '../limits/limits.ts';
import { createMemoryCounters, createMemoryLeases } from '../limits/memory-counters.ts';
import { createNetworkMatcher } from '../limits/networks.ts';
import { createProjects } from '../limits/projects.ts';
import { readRules } from '../limits/rules.ts';
import type { Logger } from '../logger.ts';
import { type Pooler, openDatabase } from '../store/database.ts';
import { createLimitCounters, createLimitLeases, sweepLimits } from '../store/limits/counters.ts';
import { translateOutages } from '../store/sql/outages.ts';
import { createKnownCredentials } from '../http/server/limits/caller.ts';

/** Runs before anything is started, so that invalid files stop the start. */
export function readLimits({ plan, environment, projectsFile, rulesFile, ...rest }: NonNullable<Config['limits']>) {
  return { projects: createProjects({ plan, environment, file: projectsFile }), rules: readRules(rulesFile), ...rest };
}

interface LimitParts extends ReturnType<typeof readLimits> {
  trustedProxies: string[];
  apiKeys: string[];
  databaseUrl: string;
  pooler: Pooler;
  metrics: LimitsMetrics;
  log: Logger;
}

/** How long a request waits for its limit. */
const timeoutMs = 500;
/** A separate pool, so that counting continues while other work waits for the database. */
const poolSize = 5;

export function createRequestLimiting(parts: LimitParts): LimitingDeps & { stop(): Promise<void> } {
  const { projects, rules, store, trustedProxies, apiKeys, databaseUrl, pooler, metrics, log } = parts;
  const { counters, leases, stop } = store === 'postgres' ? inPostgres(databaseUrl, pooler) : inMemory();
  return {
    limits: createLimits({ projects, rules, counters, leases, metrics, log }),
    isTrustedProxy: createNetworkMatcher(trustedProxies),
    known: createKnownCredentials({ always: apiKeys }),
    stop,
  };
}

const inMemory = () => ({
  counters: createMemoryCounters({ isBounded: (key) => key.startsWith(projectKeys) }),
  leases: createMemoryLeases(),
  stop: () => Promise.resolve(),
});

function inPostgres(databaseUrl: string, pooler: Pooler) {
  const db = openDatabase(databaseUrl, { pooler, poolSize, connectTimeoutMs: 2_000, statementTimeoutMs: 2_000 });
  const sweep = sweepLimits(db);
  return {
    counters: translateOutages(createLimitCounters(db), { timeoutMs }),
    leases: releasingLate(createLimitLeases(db)),
    async stop() {
      sweep.stop();
      await db.destroy();
    },
  };
}

/** A lease that arrives after its request continued without it is released, or it would block later requests. */
function releasingLate(leases: Leases): Leases {
  const inTime = translateOutages(leases, { timeoutMs });
  return {
    release: inTime.release,
    async take(key, forMs) {
      const taking = leases.take(key, forMs);
      try {
        return await translateOutages({ take: () => taking }, { timeoutMs }).take();
      } catch (error) {
        void taking.then((id) => id !== undefined && leases.release(id)).catch(() => undefined);
        throw error;
      }
    },
  };
}
