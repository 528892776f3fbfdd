import type { Narrowing } from '../../../access/narrowing.ts';
import type { Target } from '../../../audit/act.ts';
import type { ChainedEntry } from '../../../audit/ports.ts';
import type { AuditEntryBody } from './schemas.ts';

/** A narrowed caller sees neither other directories, nor how many entries there are. */
export function presentEntry({ position, hash, entry }: ChainedEntry, narrowed: Narrowing): AuditEntryBody {
  if (Object.keys(narrowed).length === 0) return { position, hash, ...entry };
  return { position: null, hash: null, ...entry, targets: entry.targets.filter((target) => mayKnow(target, narrowed)) };
}

const mayKnow = ({ type, ...target }: Target, { tenant, product, directoryId }: Narrowing): boolean =>
  (type !== 'directory' && type !== 'api_key') ||
  ((tenant === undefined || target.tenant === tenant) &&
    (product === undefined || target.product === product) &&
    (directoryId === undefined || target.id === directoryId));

const csvFields = ['position', 'id', 'occurred_at', 'action', 'actor_type', 'actor_id', 'actor_name', 'targets', 'location', 'user_agent'];
export const csvHeader = `${[...csvFields, 'request_id', 'changes', 'result', 'hash'].join(',')}\r\n`;

export function toCsvLine({
  position,
  hash,
  id,
  occurred_at: at,
  action,
  actor,
  targets,
  context,
  changes,
  result,
}: AuditEntryBody): string {
  const cells = [
    position,
    id,
    at,
    action,
    actor.type,
    actor.id,
    actor.name,
    JSON.stringify(targets),
    context.location,
    context.user_agent,
    context.request_id,
    changes && JSON.stringify(changes),
    result,
    hash,
  ];
  return `${cells.map(toCell).join(',')}\r\n`;
}

/** A spreadsheet would run a cell that begins like a formula: a client may send any `User-Agent`. */
function toCell(value: string | number | null): string {
  const text = String(value ?? '');
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
