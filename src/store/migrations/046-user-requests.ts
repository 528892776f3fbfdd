import type { Knex } from 'knex';

/**
 * Which requests of an identity provider concerned a user: as many rows for each request as it has names of users. `subject` is the hash of
 * an ID or name, so that a row has a fixed size. Requests that concern several users have no detail.
 */
export const userRequests = {
  async up(knex: Knex) {
    // No step waits long for a table: `migrate` tries again.
    await knex.transaction(async (trx) => {
      await trx.raw('set local lock_timeout = 2000');
      await trx.raw(table);
    });
  },
  down: (knex: Knex) => knex.schema.raw('drop table user_requests'),
  config: { transaction: false },
};

const table = `
  create table if not exists user_requests (
    directory_id uuid not null references all_directories on delete cascade,
    id uuid not null,
    subject uuid not null,
    at timestamptz not null,
    method text not null,
    path text not null,
    status integer not null,
    detail text,
    duration_ms integer not null,
    request_id text not null,
    is_shared boolean not null,
    primary key (directory_id, id, subject)
  );
  create index if not exists user_requests_by_subject on user_requests (subject, directory_id, id);
  create index if not exists user_requests_by_age on user_requests (at);`;
