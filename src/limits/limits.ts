import type { Logger } from '../logger.ts';
import type { Decision, Layer } from './decision.ts';
import { createInflightLimits } from './inflight-limits.ts';
import type { Counters, Leases } from './ports.ts';
import { createProjectLimits } from './project-limits.ts';
import type { Projects } from './projects.ts';
import { isExempt, type LimitedRequest } from './request.ts';
import type { Rules } from './rule.ts';
import { createVolumetricLimits } from './volumetric-limits.ts';
import { createWindows } from './windows.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

export interface LimitsMetrics {
  limited(labels: { layer: Layer; bucket: string; outcome: 'allowed' | 'refused' | 'reported' }): void;
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

/** The three layers over one store. Without an answer of the store there is no decision, and the request passes. */
export function createLimits({ projects, rules, counters, leases, metrics, log, now = Date.now }: LimitsDeps) {
  const windows = createWindows({ counters, now });
  const decideByVolume = createVolumetricLimits({ rules: rules.volumetric, windows });
  const decideByProject = createProjectLimits({ windows });
  const decideByInflight = createInflightLimits({ rules: rules.inflight, leases, leaseMs: rules.lease_seconds * 1_000 });
  const ask = createFailOpen({ log, onFailure: metrics.limitStoreFailed, now });
  // Of its own: counters that fail are not to keep leases from being given back.
  const giveBack = createFailOpen({ log, onFailure: metrics.limitStoreFailed, now });

  /** What one layer refuses counts in no other. */
  const forget = async ({ counted = [] }: LimitedRequest): Promise<void> => {
    const all = counted.splice(0);
    if (all.length > 0) await ask(() => windows.giveBack(all));
  };

  return {
    projects,
    fingerprintHeaders: rules.fingerprint_headers,

    /** The decision that refuses, if there is one. */
    async volumetric(request: LimitedRequest): Promise<Decision | undefined> {
      if (isExempt(request.method)) return undefined;
      const decided = await ask(() => decideByVolume(request));
      if (!decided) return undefined;
      for (const bucket of decided.allowed) metrics.limited({ layer: 'volumetric', bucket, outcome: 'allowed' });
      for (const decision of decided.reported) report(decision, request);
      if (!decided.refused) return undefined;
      metrics.limited({ layer: 'volumetric', bucket: decided.refused.bucket, outcome: 'refused' });
      // Rules that only watch have counted it.
      await forget(request);
      return decided.refused;
    },

    async project(request: LimitedRequest): Promise<Decision | undefined> {
      const decision = await ask(() => decideByProject(request));
      if (decision) metrics.limited({ layer: 'project', bucket: decision.bucket, outcome: decision.isAllowed ? 'allowed' : 'refused' });
      if (decision?.isAllowed === false) await forget(request);
      return decision;
    },

    /** A lease, to be released when the request is over, or the decision that refuses. */
    async inflight(request: LimitedRequest): Promise<{ lease?: string; refused?: Decision }> {
      if (isExempt(request.method)) return {};
      const { decision, action, lease } = (await ask(() => decideByInflight(request))) ?? {};
      if (!decision) return {};
      if (lease !== undefined) {
        metrics.limited({ layer: 'inflight', bucket: decision.bucket, outcome: 'allowed' });
        return { lease };
      }
      if (action === 'report') {
        report(decision, request);
        return {};
      }
      metrics.limited({ layer: 'inflight', bucket: decision.bucket, outcome: 'refused' });
      await forget(request);
      return { refused: decision };
    },

    /** One that can't be released ends by itself. Without an answer of the store nobody knows whether there is one. */
    release: (lease: string): Promise<boolean | undefined> => giveBack(() => leases.release(lease)),
  };

  /** The path of a resource may name a person: the rule says enough. */
  function report({ layer, bucket }: Decision, { method, project }: LimitedRequest) {
    metrics.limited({ layer, bucket, outcome: 'reported' });
    log.info({ layer, rule: bucket, method, project: project.id }, 'a request is over a limit that is only watched');
  }
}

export interface FailOpenDeps {
  log: Pick<Logger, 'warn'>;
  onFailure(): void;
  now?: () => number;
}

/** After a failure the store is left alone for so long: nobody is to wait for it request by request. */
const restMs = 1_000;
const logEveryMs = 5_000;

/** A store that is down limits nobody. Asks it, unless it failed just now; undefined stands for no answer. */
export function createFailOpen({ log, onFailure, now = Date.now }: FailOpenDeps) {
  let restsUntilMs = -Infinity;
  let loggedAtMs = -Infinity;
  return function ask<T>(operation: () => Promise<T>): Promise<T | undefined> {
    if (now() >= restsUntilMs) return operation().catch(passOver);
    onFailure();
    return Promise.resolve(undefined);
  };

  function passOver(error: Error): undefined {
    onFailure();
    restsUntilMs = now() + restMs;
    if (now() - loggedAtMs < logEveryMs) return;
    loggedAtMs = now();
    log.warn({ error: toLoggableMessage(error) }, 'the store of the limits does not answer: requests pass unlimited');
  }
}
