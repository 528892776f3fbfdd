import type { Knex } from 'knex';

/**
 * Members are rows. A member that is not known yet is pending (`pending_members`), under the value that the
 * identity provider sent. Large mutations are staged.
 */
export const groups: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    create table groups (
      directory_id uuid not null references directories on delete cascade,
      id uuid not null,
      display_name text not null,
      display_name_key text not null,
      external_id text,
      resource jsonb not null,
      version bigint not null default 1,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (directory_id, id),
      constraint groups_by_display_name unique (display_name_key, directory_id) deferrable,
      constraint groups_by_external_id unique (external_id, directory_id) deferrable
    );

    create table group_members (
      directory_id uuid not null,
      group_id uuid not null,
      member_id uuid not null,
      kind text not null check (kind in ('user', 'group')),
      display text,
      position bigint generated always as identity,
      primary key (directory_id, group_id, member_id),
      foreign key (directory_id, group_id) references groups on delete cascade
    );
    create index group_members_by_member on group_members (member_id, directory_id);
    create index group_members_in_order on group_members (group_id, position);

    create table pending_members (
      directory_id uuid not null,
      group_id uuid not null,
      value text not null,
      value_key text not null,
      display text,
      position bigint generated always as identity,
      primary key (directory_id, group_id, value_key),
      foreign key (directory_id, group_id) references groups on delete cascade
    );
    create index pending_members_by_value on pending_members (value_key, directory_id);

    create table staged_mutations (
      directory_id uuid not null references directories on delete cascade,
      id uuid not null,
      sealed bytea not null,
      created_at timestamptz not null default now(),
      primary key (directory_id, id)
    );
    create index staged_mutations_by_age on staged_mutations (created_at);
  `),
  down: () => Promise.reject(new Error('Groups cannot be reverted: drop the database instead.')),
};
