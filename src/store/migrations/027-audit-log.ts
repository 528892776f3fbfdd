import type { Knex } from 'knex';

/**
 * `body` is an entry, as JSON text; all other columns but `position` and `hash` are generated from it, so that they cannot differ. When the
 * transaction commits, a deferred trigger gives the entry the next position, and the SHA-256 of the previous entry's hash, its position and
 * its body. The row of `audit_chain` is locked from then until the commit has ended, and not during the transaction. With `emits`, each
 * entry becomes an operator event. `audit_anchor` is the last entry that was deleted after its retention. `audit_time` is immutable, because
 * an entry's time always has its time zone.
 */
export const auditLog: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create function audit_time(entry jsonb) returns timestamptz language sql immutable parallel safe
      as $$ select cast(entry ->> 'occurred_at' as timestamptz) $$;
    create table audit_log (
      body text not null,
      id uuid not null generated always as (cast(cast(body as jsonb) ->> 'id' as uuid)) stored primary key,
      position bigint,
      hash bytea,
      action text not null generated always as (cast(body as jsonb) ->> 'action') stored,
      actor_id text not null generated always as (cast(body as jsonb) #>> '{actor,id}') stored,
      targets jsonb not null generated always as (cast(body as jsonb) -> 'targets') stored,
      occurred_at timestamptz not null generated always as (audit_time(cast(body as jsonb))) stored
    );
    create unique index audit_log_by_position on audit_log (position);
    create index audit_log_by_action on audit_log (action, position);
    create index audit_log_by_actor on audit_log (actor_id, position);
    create index audit_log_by_time on audit_log (occurred_at);
    create index audit_log_by_target on audit_log using gin (targets jsonb_path_ops);

    create table audit_chain (
      id boolean primary key default true check (id),
      position bigint not null default 0,
      hash bytea not null default decode(repeat('00', 32), 'hex'),
      emits boolean not null default false
    );
    insert into audit_chain default values;
    create table audit_anchor (
      id boolean primary key default true check (id),
      position bigint not null default 0,
      hash bytea not null default decode(repeat('00', 32), 'hex')
    );
    insert into audit_anchor default values;

    create function chain_audit_entry() returns trigger language plpgsql as $$
    declare head audit_chain;
    begin
      update audit_chain set position = position + 1,
        hash = sha256(hash || int8send(position + 1) || convert_to(new.body, 'UTF8')) where id returning * into head;
      update audit_log set position = head.position, hash = head.hash where id = new.id;
      if head.emits then
        insert into operator_events (id, body) values (new.id, json_build_object(
          'event', 'dsync.audit', 'tenant', coalesce(new.targets #>> '{0,tenant}', ''), 'product', coalesce(new.targets #>> '{0,product}', ''),
          'data', cast(new.body as jsonb) || jsonb_build_object('position', head.position, 'hash', encode(head.hash, 'hex')),
          'occurred_at', cast(new.body as jsonb) ->> 'occurred_at'));
      end if;
      return null;
    end $$;
    create constraint trigger audit_log_chain after insert on audit_log deferrable initially deferred
      for each row execute function chain_audit_entry();

    create function keep_audit_log() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' and new.position is null and new.hash is null then return new; end if;
      if tg_op = 'UPDATE' and old.position is null and new.body = old.body then return new; end if;
      if tg_op = 'DELETE' and old.position <= (select position from audit_anchor where id) then return old; end if;
      raise exception 'The audit log is append-only.' using errcode = 'insufficient_privilege';
    end $$;
    create trigger audit_log_append_only before insert or update or delete on audit_log for each row execute function keep_audit_log();
    create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function keep_audit_log();

    create function keep_audit_chain() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and tg_table_name = 'audit_chain' and new.position >= old.position then return new; end if;
      if tg_op = 'UPDATE' and tg_table_name = 'audit_anchor' and new.position >= old.position
        and new.hash = (select hash from audit_log where position = new.position) then return new; end if;
      raise exception 'The chain of the audit log only moves forward.' using errcode = 'insufficient_privilege';
    end $$;
    create trigger audit_chain_forward before update or delete on audit_chain for each row execute function keep_audit_chain();
    create trigger audit_chain_no_truncate before truncate on audit_chain for each statement execute function keep_audit_chain();
    create trigger audit_anchor_forward before update or delete on audit_anchor for each row execute function keep_audit_chain();
    create trigger audit_anchor_no_truncate before truncate on audit_anchor for each statement execute function keep_audit_chain();
  `),
  down: (knex) =>
    knex.schema.raw(`
    drop table audit_log, audit_chain, audit_anchor;
    drop function chain_audit_entry, keep_audit_log, keep_audit_chain, audit_time;
  `),
};
