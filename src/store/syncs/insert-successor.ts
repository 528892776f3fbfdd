import type { Knex } from 'knex';
import { newId } from '../../ids.ts';
import type { RunRow } from './run-rows.ts';

/** A run that takes another's place is the newer one, also where this transaction began before the other run was asked for. */
export async function insertSuccessor(
  trx: Knex.Transaction,
  { directory_id, trigger, confirms }: RunRow,
  columns: Record<string, unknown>,
): Promise<string> {
  const id = newId();
  await trx('sync_runs').insert({ id, directory_id, trigger, confirms, requested_at: trx.raw('clock_timestamp()'), ...columns });
  return id;
}
