import { createLimits, type LimitsDeps } from '../../src/limits/limits.ts';
import { createMemoryCounters, createMemoryLeases } from '../../src/limits/memory-counters.ts';
import type { Environment, PlanName } from '../../src/limits/plans.ts';
import { createProjects } from '../../src/limits/projects.ts';
import type { Decision, LimitedRequest } from '../../src/limits/request.ts';
import { readRules } from '../../src/limits/rules.ts';

export interface TestLimitsOptions extends Partial<LimitsDeps> {
  plan?: PlanName;
  environment?: Environment;
  nowMs?: number;
}

/** Limits with a clock that the test moves. */
export function createTestLimits({
  plan = 'developer',
  environment = 'production',
  nowMs = 1_700_000_000_000,
  ...deps
}: TestLimitsOptions = {}) {
  let passedMs = 0;
  const now = () => nowMs + passedMs;
  const outcomes: string[] = [];
  const lines: object[] = [];
  const note = (line: object) => void lines.push(line);
  const limits = createLimits({
    projects: createProjects({ plan, environment }),
    rules: readRules(undefined),
    counters: createMemoryCounters(),
    leases: createMemoryLeases({ now }),
    metrics: {
      limited: ({ layer, bucket, outcome }) => void outcomes.push(`${layer} ${bucket} ${outcome}`),
      limitStoreFailed: () => void outcomes.push('store failed'),
    },
    log: { info: note, warn: note },
    now,
    ...deps,
  });
  const toRequest = (fields: Partial<LimitedRequest>): LimitedRequest => ({
    method: 'POST',
    path: '/somewhere/else',
    isOwn: false,
    address: '192.0.2.1',
    isAuthenticated: true,
    project: limits.projects.own,
    ...fields,
  });
  return {
    limits,
    outcomes,
    lines,
    toRequest,
    passMs: (ms: number) => void (passedMs += ms),
    passedMs: () => passedMs,
    ask: async (fields: Partial<LimitedRequest>): Promise<Decision> => (await limits.project(toRequest(fields)))!,
  };
}
