import type { Knex } from 'knex';
import type { NewEvent } from '../../directory/event.ts';
import { copiesPerByte } from '../../scim/budget.ts';
import { boundValues, lookUpRows } from '../sql/look-up-rows.ts';
import { maxAttributeBytes } from '../../directory/attributes/compute-attributes.ts';
import { maxRoleBytes } from '../../directory/roles/compute-roles.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { bytesOf } from './write-parts/events.ts';

/** At most 1 MiB, and as much again of what was pushed in another form. */
const maxUserBytes = 2_097_152;

interface Copies {
  events: NewEvent[];
  /** All users and groups of the directory. */
  resourceBytes: number;
  /** Whether users have attributes, which are copied too. */
  hasAttributes: boolean;
  /** Whether users have roles of their groups, which are copied too. */
  hasRoles: boolean;
  /** The limit for what a change may write itself. */
  maxBytes: number;
}

/**
 * Whether the membership events of a change copy too much of users that were not read. A user counts for each event, because each event takes
 * time for its user, even if a large one is stored once. Measuring ends at the limit.
 */
export async function copiesTooMuch(
  db: Knex | Knex.Transaction,
  directoryId: string,
  { events, resourceBytes, hasAttributes, hasRoles, maxBytes }: Copies,
): Promise<boolean> {
  const runs = events.flatMap((event) => ('userIds' in event ? [event.userIds] : []));
  const userIds = runs.flat();
  const maxCopied = copiesPerByte * maxBytes;
  // A run of events has each user once.
  const derivedBytes = userIds.length * ((hasAttributes ? maxAttributeBytes : 0) + (hasRoles ? maxRoleBytes : 0));
  if (Math.min(userIds.length * maxUserBytes, runs.length * resourceBytes) + derivedBytes <= maxCopied) return false;
  const [row] = await runPrepared<{ is_over: boolean }>(
    db,
    'copied-users',
    () => `select exists (
        select from (
          select sum(${bytesOf('found.resource')} + coalesce(${bytesOf('found.pushed')}, 0) + coalesce(${bytesOf('found.custom_attributes')}, 0)
            + coalesce(${bytesOf('found.roles')}, 0)) over (rows unbounded preceding) as copied
          from ${lookUpRows({ table: 'users', column: 'id', values: boundValues('userIds', 'uuid') })}
        ) so_far where copied > cast(:maxCopied as float8)
      ) as is_over`,
    { directoryId, userIds, maxCopied },
  );
  return row!.is_over;
}
