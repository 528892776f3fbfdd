import type { Knex } from 'knex';

/**
 * `sealed_url` is the encrypted webhook address, and `url` is its visible part, without the query. Migrations have no keys, so
 * existing addresses are encrypted when a process starts (`sealAddresses`); `has_plain_address` marks the endpoints that remain.
 * If `sealed_url` is null, `url` is still the whole address. A process of the previous version changes only `url`; the trigger
 * marks its row. A later version removes the trigger.
 */
export const webhookAddresses: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table webhook_endpoints
      add column sealed_url text,
      add column has_plain_address boolean not null default true;
    alter table webhook_endpoints alter column has_plain_address set default false;
    create index webhook_endpoints_plain on webhook_endpoints (id) where has_plain_address;

    create or replace function mark_plain_address() returns trigger language plpgsql as $$
    begin
      if new.url is distinct from old.url and new.sealed_url is not distinct from old.sealed_url then
        new.sealed_url := null;
        new.has_plain_address := true;
      end if;
      return new;
    end
    $$;
    create trigger mark_plain_address before update of url on webhook_endpoints
      for each row execute function mark_plain_address();
  `),
  down: () => Promise.reject(new Error('Sealed addresses cannot be reverted: restore a backup instead.')),
};
