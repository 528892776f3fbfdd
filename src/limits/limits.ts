import type { Logger } from '../logger.ts';
import type { Counters, Leases } from './ports.ts';
import type { Projects } from './projects.ts';
import { type Decision, type Layer, type LimitedRequest, isExempt } from './request.ts';
import { createInflightLimits, createVolumetricLimits } from './rule-limits.ts';
import { type Windows, createWindows } from './windows.ts';
import { andThen, isPending } from '../shared/and-then.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import type { Rules } from './rules.ts';
import { toSource } from './networks.ts';

export interface LimitsMetrics {
  limited(labels: { layer: Layer; bucket: string; outcome: 'allowed' | 'rejected' | 'reported' }): void;
  limitStoreFailed(): void;
}

export interface LimitsDeps {
  projects: Projects;
  rules: Rules;
  counters: Counters;
  leases: Leases;
  metrics: LimitsMetrics;
  log: Pick<Logger, 'info' | 'warn'>;
  now?: () => number;
}

export type Limits = ReturnType<typeof createLimits>;

/** The three layers of limits over one store. If the store does not respond there is no decision, and the request passes. */
export function createLimits({ projects, rules, counters, leases, metrics, log, now = Date.now }: LimitsDeps) {
  const windows = createWindows({ counters, now });
  const decideByVolume = createVolumetricLimits({ rules: rules.volumetric, windows });
  const decideByProject = createProjectLimits({ windows });
  const decideByInflight = createInflightLimits({ rules: rules.inflight, leases, leaseMs: rules.lease_seconds * 1_000 });
  const run = createFailOpen({ log, onFailure: metrics.limitStoreFailed, now });
  // Separate from `run`, so that failing counters do not prevent the release of leases.
  const giveBack = createFailOpen({ log, onFailure: metrics.limitStoreFailed, now });

  const forget = async ({ counted = [] }: Pick<LimitedRequest, 'counted'>): Promise<void> => {
    const all = counted.splice(0);
    if (all.length > 0) await run(() => windows.giveBack(all));
  };

  return {
    projects,
    fingerprintHeaders: rules.fingerprint_headers,

    /** Undoes what was counted for a request that another layer, or a limit of its directory, rejects. */
    forget,

    /** Returns the rejecting decision, if any. */
    async volumetric(request: LimitedRequest): Promise<Decision | undefined> {
      if (isExempt(request.method)) return undefined;
      const decided = await run(() => decideByVolume(request));
      if (!decided) return undefined;
      for (const bucket of decided.allowed) metrics.limited({ layer: 'volumetric', bucket, outcome: 'allowed' });
      for (const decision of decided.reported) report(decision, request);
      if (!decided.rejected) return undefined;
      metrics.limited({ layer: 'volumetric', bucket: decided.rejected.bucket, outcome: 'rejected' });
      // Report-only rules have counted the request.
      await forget(request);
      return decided.rejected;
    },

    project: (request: LimitedRequest): Decision | undefined | Promise<Decision | undefined> =>
      andThen(
        run(() => decideByProject(request)),
        (decision) => {
          if (decision)
            metrics.limited({ layer: 'project', bucket: decision.bucket, outcome: decision.isAllowed ? 'allowed' : 'rejected' });
          return decision?.isAllowed === false ? forget(request).then(() => decision) : decision;
        },
      ),

    /** Returns a lease to release after the request, or the rejecting decision. */
    async inflight(request: LimitedRequest): Promise<{ lease?: string; rejected?: Decision }> {
      if (isExempt(request.method)) return {};
      const { decision, action, lease } = (await run(() => decideByInflight(request))) ?? {};
      if (!decision) return {};
      if (lease !== undefined) {
        metrics.limited({ layer: 'inflight', bucket: decision.bucket, outcome: 'allowed' });
        return { lease };
      }
      if (action === 'report') {
        report(decision, request);
        return {};
      }
      metrics.limited({ layer: 'inflight', bucket: decision.bucket, outcome: 'rejected' });
      await forget(request);
      return { rejected: decision };
    },

    /** A lease that cannot be released expires. If the store does not respond, it is unknown whether the lease existed. */
    release: async (lease: string): Promise<boolean | undefined> => giveBack(() => leases.release(lease)),
  };

  /** Logs the rule only: the path may name a person. */
  function report({ layer, bucket }: Decision, { method, project }: LimitedRequest) {
    metrics.limited({ layer, bucket, outcome: 'reported' });
    log.info({ layer, rule: bucket, method, project: project.id }, 'request exceeds a report-only limit');
  }
}

interface FailOpenDeps {
  log: Pick<Logger, 'warn'>;
  onFailure(): void;
  now?: () => number;
}

/** The store is not used again for this long after a failure, so that requests do not wait for it one by one. */
const pauseMs = 1_000;
const logEveryMs = 5_000;

/** Calls the store, unless it failed a moment ago. Resolves to undefined if it fails: a store that is down limits no request. */
export function createFailOpen({ log, onFailure, now = Date.now }: FailOpenDeps) {
  let pausedUntilMs = -Infinity;
  let loggedAtMs = -Infinity;
  return function run<T>(operation: () => T | Promise<T>): T | undefined | Promise<T | undefined> {
    if (now() < pausedUntilMs) {
      onFailure();
      return undefined;
    }
    try {
      const result = operation();
      return isPending(result) ? Promise.resolve(result).catch(ignoreFailure) : result;
    } catch (error) {
      return ignoreFailure(error as Error);
    }
  };

  function ignoreFailure(error: Error): undefined {
    onFailure();
    pausedUntilMs = now() + pauseMs;
    if (now() - loggedAtMs < logEveryMs) return;
    loggedAtMs = now();
    log.warn({ error: toLoggableMessage(error) }, 'limit store failed; requests are not limited');
  }
}

interface ProjectLimitsDeps {
  windows: Windows;
}

/** The number of these keys is bounded: one per bucket of each project. */
export const projectKeys = 'project ';

/** Decides by the plan of the project. */
function createProjectLimits({ windows }: ProjectLimitsDeps) {
  return function decide({ project, method, path, isOwn, isStranger, address, counted }: LimitedRequest): Decision | Promise<Decision> {
    const whose = isStranger ? `stranger ${toSource(address)}` : `${projectKeys}${project.id}`;
    const buckets = isOwn ? project.ownBucketsOf(method, path) : project.bucketsOf(method, path);
    const keys = buckets.map((limit) => ({ key: `${whose} ${limit.bucket}`, limit }));
    return andThen(windows.take(keys, counted), (verdicts) => {
      const index = verdicts.findIndex(({ isAllowed }) => !isAllowed);
      const shown = Math.max(0, index);
      const { isAllowed, waitMs, windows: states } = verdicts[shown]!;
      return { isAllowed, waitMs, windows: states, layer: 'project', bucket: buckets[shown]!.bucket };
    });
  };
}
