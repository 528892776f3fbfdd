import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { isId } from '../../ids.ts';
import type { Leases } from '../../limits/ports.ts';

/** Leases that all processes share. They expire by the clock of the database. */
export function createLimitLeases(db: Knex): Leases {
  return {
    async take(key, forMs) {
      const id = randomUUID();
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `insert into limit_leases as held (key, id, expires_at)
           values (:key, :id, clock_timestamp() + :forMs * interval '1 millisecond')
         on conflict (key) do update set id = excluded.id, expires_at = excluded.expires_at
           where held.expires_at <= clock_timestamp()
         returning id`,
        { key, id, forMs },
      );
      return rows.length > 0 ? id : undefined;
    },
    async release(id) {
      if (!isId(id)) return false;
      return (await db('limit_leases').where({ id }).whereRaw('expires_at > clock_timestamp()').delete()) > 0;
    },
  };
}
