import type { Knex } from 'knex';

/** When a secret was last rejected. A directory to which nobody has pushed has no other time. */
export const rejectedSecrets: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw('alter table directory_pushes add column secret_rejected_at timestamptz, alter column last_push_at drop not null'),
  down: (knex) =>
    knex.schema.raw(`
      delete from directory_pushes where last_push_at is null;
      alter table directory_pushes drop column secret_rejected_at, alter column last_push_at set not null;`),
};
