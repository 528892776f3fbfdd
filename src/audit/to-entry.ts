import { publicDirectoryId } from '../directory/directories/former-ids.ts';
import { newId } from '../ids.ts';
import { type Act, type AuditEntry, type Changes, type ChangeValue, type Target, serviceActor } from './act.ts';
import { currentlyActing } from './audit-scope.ts';

export type RecordedAct = Omit<Act, 'directory'> & { directory?: { id: string; tenant: string; product: string } | undefined };

const maxText = 500;
const maxTargets = 100;
const maxChanges = 50;
const maxChangesLength = 16_384;

/** Bounds everything, so that no caller can make an entry large. */
export function toEntry(
  { action, actor, directory, targets = [], changes, result = 'success' }: RecordedAct,
  nowMs = Date.now(),
): AuditEntry {
  const acting = currentlyActing();
  const by = actor ?? acting.actor;
  const { location, user_agent: userAgent, request_id: requestId } = acting.context;
  const isOfRequest = by.type !== serviceActor.type;
  return {
    id: newId(nowMs),
    action,
    occurred_at: new Date(nowMs).toISOString(),
    actor: { type: by.type, id: cut(by.id), name: cut(by.name) },
    targets: [...(directory ? [toTarget(directory)] : []), ...targets].slice(0, maxTargets).map(cutTarget),
    context: {
      location: isOfRequest && location !== null ? cut(location) : null,
      user_agent: isOfRequest && userAgent !== null ? cut(userAgent) : null,
      request_id: isOfRequest ? requestId : null,
    },
    changes: changes === undefined || Object.keys(changes).length === 0 ? null : boundChanges(changes),
    result,
  };
}

/** A directory by the ID that callers know. */
export const toTarget = ({ id, tenant, product }: { id: string; tenant: string; product: string }): Target => ({
  type: 'directory',
  id: publicDirectoryId({ id, tenant, product }),
  tenant,
  product,
});

/** Postgres can hold neither NUL characters nor lone surrogates. */
const cut = (text: string): string => text.slice(0, maxText).toWellFormed().replaceAll('\0', '');

const cutTarget = (target: Target): Target => ({ ...target, id: cut(target.id) });

function boundChanges(changes: Changes): Changes {
  const bounded = Object.fromEntries(
    Object.entries(changes)
      .slice(0, maxChanges)
      .map(([name, value]) => [cut(name), boundValue(value)]),
  );
  return JSON.stringify(bounded).length > maxChangesLength
    ? Object.fromEntries(Object.keys(bounded).map((name) => [name, { changed: true as const }]))
    : bounded;
}

function boundValue(value: ChangeValue): ChangeValue {
  if (typeof value === 'string') return cut(value);
  if (typeof value === 'object' && value !== null && 'from' in value) return { from: boundSide(value.from), to: boundSide(value.to) };
  return value;
}

function boundSide(side: unknown): unknown {
  if (typeof side === 'string') return cut(side);
  if (typeof side !== 'object') return side ?? null;
  const text = JSON.stringify(side);
  return text.length > maxText ? `${text.length} characters of JSON` : (JSON.parse(text.toWellFormed()) as unknown);
}
