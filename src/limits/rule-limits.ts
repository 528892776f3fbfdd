import { createNetworkMatcher, toSource } from './networks.ts';
import { createPathPattern, expandPath } from './path-pattern.ts';
import type { Decision, LimitedRequest } from './request.ts';
import type { Windows } from './windows.ts';
import { createHash } from 'node:crypto';
import type { Leases } from './ports.ts';
import type { InflightRule, VolumetricRule } from './rules.ts';

interface VolumetricLimitsDeps {
  rules: VolumetricRule[];
  windows: Windows;
}

/** Limits per source, independently of the caller. */
export function createVolumetricLimits({ rules, windows }: VolumetricLimitsDeps) {
  const compiled = rules.map((rule) => ({ rule, matches: createMatch(rule) }));

  return async function decide(request: LimitedRequest): Promise<{ rejected?: Decision; reported: Decision[]; allowed: string[] }> {
    const found = compiled.filter(({ rule, matches }) => matches(request) && keyOf(rule, request) !== undefined).map(({ rule }) => rule);
    const reported: Decision[] = [];
    const allowed: string[] = [];
    // Enforced rules count together or not at all: a request that one rejects is not counted by another. Report-only rules count
    // separately.
    const enforced = found.filter(({ action }) => action === 'enforce');
    const groups = [enforced, ...found.filter(({ action }) => action === 'report').map((rule) => [rule])].filter(
      ({ length }) => length > 0,
    );
    let rejected: Decision | undefined;
    for (const group of groups) {
      const verdicts = await windows.take(
        group.map((rule) => ({ key: keyOf(rule, request)!, limit: limitOf(rule, request) })),
        request.counted,
      );
      for (const [index, verdict] of verdicts.entries()) {
        const rule = group[index]!;
        const decision: Decision = { ...verdict, layer: 'volumetric', bucket: rule.name };
        if (verdict.isAllowed) allowed.push(rule.name);
        else if (rule.action === 'report') reported.push(decision);
        else rejected ??= decision;
      }
    }
    return { ...(rejected && { rejected }), reported, allowed };
  };
}

function createMatch(rule: VolumetricRule): (request: LimitedRequest) => boolean {
  const patterns = rule.paths?.map(createPathPattern);
  const isListed = rule.sources && createNetworkMatcher(rule.sources);
  return ({ method, path, address, isAuthenticated }) =>
    (rule.methods?.includes(method) ?? true) &&
    (rule.authenticated ?? isAuthenticated) === isAuthenticated &&
    (isListed?.(address) ?? true) &&
    (patterns === undefined || expandPath(path).some((read) => patterns.some((pattern) => pattern.matches(method, read))));
}

/** A caller without a fingerprint is not counted by fingerprint. */
function keyOf({ name, by }: VolumetricRule, { address, fingerprint }: LimitedRequest): string | undefined {
  if (by === 'address') return `address ${name} ${toSource(address)}`;
  return fingerprint === undefined ? undefined : `fingerprint ${name} ${fingerprint}`;
}

const limitOf = ({ limit, whitelisted }: VolumetricRule, { project, address, fingerprint }: LimitedRequest) =>
  whitelisted && project.isWhitelisted({ address, fingerprint }) ? whitelisted : limit;

interface InflightLimitsDeps {
  rules: InflightRule[];
  leases: Leases;
  leaseMs: number;
}

interface Inflight {
  /** It is absent if no rule applies. */
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
