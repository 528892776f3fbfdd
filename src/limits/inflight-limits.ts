import { createHash } from 'node:crypto';
import type { Decision } from './decision.ts';
import { createPathPattern, expandPath } from './path-pattern.ts';
import type { Leases } from './ports.ts';
import type { LimitedRequest } from './request.ts';
import type { InflightRule } from './rule.ts';

export interface InflightLimitsDeps {
  rules: InflightRule[];
  leases: Leases;
  leaseMs: number;
}

export interface Inflight {
  /** Absent where no rule has anything to say. */
  decision?: Decision;
  action: InflightRule['action'];
  /** What has to be given back. */
  lease?: string;
}

/** When somebody else's request may be over nobody knows; the header wants a number. */
const waitMs = 1_000;

/** One request at a time on one resource. */
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

/** Whose account it is nobody needs to read in the store. */
const toKey = (projectId: string, path: string) => createHash('sha256').update(`${projectId}${path}`).digest('base64');
