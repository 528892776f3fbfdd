import { createHash } from 'node:crypto';
import { createPathPattern, expandPath } from './path-pattern.ts';
import type { Leases } from './ports.ts';
import type { Decision, LimitedRequest } from './request.ts';
import type { InflightRule } from './rule.ts';

export interface InflightLimitsDeps {
  rules: InflightRule[];
  leases: Leases;
  leaseMs: number;
}

export interface Inflight {
  /** Absent if no rule applies. */
  decision?: Decision;
  action: InflightRule['action'];
  /** Must be released after the request. */
  lease?: string;
}

/** It is unknown when the other request ends, but Retry-After requires a number. */
const waitMs = 1_000;

/** Allows one request at a time per resource. */
export function createInflightLimits({ rules, leases, leaseMs }: InflightLimitsDeps) {
  const compiled = rules.map((rule) => ({ rule, pattern: createPathPattern(rule.path) }));

  return async function decide(request: LimitedRequest): Promise<Inflight> {
    const { method, path, project, subject = '' } = request;
    for (const read of expandPath(path).toReversed()) {
      const found = compiled.find(({ rule, pattern }) => rule.methods.includes(method) && pattern.matches(method, read))?.rule;
      if (!found) continue;
      const lease = await leases.take(toKey(project.id, found.by === 'path' ? read : `${read}/${subject.toLowerCase()}`), leaseMs);
      return {
        decision: { isAllowed: lease !== undefined, layer: 'inflight', bucket: found.name, waitMs, windows: [] },
        action: found.action,
        ...(lease !== undefined && { lease }),
      };
    }
    return { action: 'enforce' };
  };
}

/** Hashed, so that the store does not reveal whose account it is. */
const toKey = (projectId: string, path: string) => createHash('sha256').update(`${projectId}${path}`).digest('base64');
