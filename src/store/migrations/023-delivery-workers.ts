import type { Knex } from 'knex';

/**
 * `worker_id` is the process that took an endpoint's delivery lane, with which epoch (`worker_epoch`), and `activity_id` the activity in which
 * it drains. The process is alive until `expires_at` in `delivery_workers`. The columns are null if nothing drains. If `worker_epoch` is not the
 * endpoint's epoch, the lane was taken since by a process of the release before, which knows only the epoch.
 */
export const deliveryWorkers: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table delivery_workers (id uuid primary key, expires_at timestamptz not null);
    alter table webhook_endpoints add column worker_id uuid, add column worker_epoch bigint, add column activity_id text;
    create index webhook_endpoints_by_worker on webhook_endpoints (worker_id) where worker_id is not null;
  `),
  down: () => Promise.reject(new Error('Workers are not taken out again: the release before ignores them.')),
};
