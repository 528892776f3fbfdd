import type { Knex } from 'knex';

const hostSql = (column: string): string =>
  `coalesce(regexp_replace(substring(${column} from '^[^:/]+://([^/\\u003f#\\\\]*)'), '^.*@', ''), '')`;

/**
 * Paths can contain tokens too, so `url` becomes the host only, and an attempt has the encrypted address that it was sent to. Stored paths are
 * removed. The trigger shortens addresses that a process of the previous version writes.
 */
export const sealedAttempts: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    -- In the order in which deliveries lock them.
    lock table webhook_endpoints, webhook_attempts in access exclusive mode;
    alter table webhook_attempts add column sealed_url text;
    update webhook_attempts set url = ${hostSql('url')} where url ~ '/';
    drop trigger mark_plain_address on webhook_endpoints;
    update webhook_endpoints set url = ${hostSql('url')} where sealed_url is not null and url ~ '/';

    create or replace function mark_plain_address() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and new.url is distinct from old.url and new.sealed_url is not distinct from old.sealed_url then
        new.sealed_url := null;
        new.has_plain_address := true;
      elsif new.sealed_url is not null and new.url ~ '/' then
        new.url := ${hostSql('new.url')};
      end if;
      return new;
    end
    $$;
    create trigger mark_plain_address before insert or update of url on webhook_endpoints
      for each row execute function mark_plain_address();
  `),
  down: () => Promise.reject(new Error('Shortened addresses cannot be reverted: restore a backup instead.')),
};
