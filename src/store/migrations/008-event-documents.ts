import type { Knex } from 'knex';

/**
 * A membership event contains two documents: the user and the group. A large document is stored once for all events that contain it, under
 * a hash of its content, and is deleted with the last of them (`last_sequence`). The table of events is now `stored_events`; the view
 * `events` returns whole events. The view's triggers are for processes of the previous version; a later version removes them. `json_weight`
 * is the memory that a JSON value takes in a process: its text, and an object for each of its values.
 */
export const eventDocuments: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table event_documents (
      directory_id uuid not null references all_directories on delete cascade,
      id uuid not null,
      first_sequence bigint not null,
      last_sequence bigint not null,
      data jsonb not null,
      primary key (directory_id, id)
    );

    create or replace function keep_event_document(of_directory uuid, from_event bigint, to_event bigint, document jsonb) returns uuid
    language plpgsql as $$
    declare
      document_id uuid := cast(encode(substring(sha256(convert_to(cast(document as text), 'UTF8')) for 16), 'hex') as uuid);
    begin
      insert into event_documents as d (directory_id, id, first_sequence, last_sequence, data)
        values (of_directory, document_id, from_event, to_event, document)
        on conflict (directory_id, id) do update set last_sequence = greatest(d.last_sequence, excluded.last_sequence);
      return document_id;
    end $$;

    create or replace function json_weight(document jsonb) returns integer language plpgsql immutable strict parallel safe as $$
    declare
      written text := cast(document as text);
    begin
      return octet_length(written) + 24 * (octet_length(written) - octet_length(replace(written, ', ', ',')));
    end $$;

    alter table events rename to stored_events;
    alter table stored_events
      add column user_document uuid,
      add column group_document uuid,
      add column bytes integer;

    create view events as
      select e.directory_id, e.sequence, e.id, e.txid, e.type,
        case when e.user_document is null and e.group_document is null then e.data
          else e.data || coalesce(u.data, '{}') || case when g.id is null then '{}' else jsonb_build_object('group', g.data) end
        end as data,
        e.occurred_at, e.bytes
      from stored_events e
        left join event_documents u on u.directory_id = e.directory_id and u.id = e.user_document
        left join event_documents g on g.directory_id = e.directory_id and g.id = e.group_document;

    create or replace function whole_event_data(of_directory uuid, event_data jsonb, of_user uuid, of_group uuid) returns jsonb
    language sql volatile as $$
      select event_data
        || coalesce((select data from event_documents where directory_id = of_directory and id = of_user), '{}')
        || coalesce((select jsonb_build_object('group', data) from event_documents where directory_id = of_directory and id = of_group), '{}')
    $$;

    create or replace function write_event_of_former_version() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into stored_events (directory_id, sequence, id, txid, type, data, occurred_at)
          values (new.directory_id, new.sequence, new.id, coalesce(new.txid, pg_current_xact_id()), new.type, new.data, new.occurred_at);
        return new;
      end if;
      if tg_op = 'UPDATE' then
        update stored_events set txid = new.txid, occurred_at = new.occurred_at, data = new.data, user_document = null, group_document = null
          where directory_id = old.directory_id and sequence = old.sequence;
        return new;
      end if;
      delete from stored_events where directory_id = old.directory_id and sequence = old.sequence;
      return old;
    end $$;
    create trigger events_of_former_version instead of insert or update or delete on events
      for each row execute function write_event_of_former_version();
  `),
  down: () => Promise.reject(new Error('Event documents cannot be reverted: restore a backup instead.')),
};
