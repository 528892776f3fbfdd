import type { Knex } from 'knex';

/**
 * `worker_id` is the process that has an endpoint's delivery lane, and `activity_id` the activity in which it drains. The process is alive until
 * `expires_at` in `delivery_workers`. Both columns are null if nothing drains, or if a process of the release before does.
 */
export const deliveryWorkers: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table delivery_workers (id uuid primary key, expires_at timestamptz not null);
    alter table webhook_endpoints add column worker_id uuid, add column activity_id text;
    create index webhook_endpoints_by_worker on webhook_endpoints (worker_id) where worker_id is not null;
  `),
  down: () => Promise.reject(new Error('Workers are not taken out again: the release before ignores them.')),
};
