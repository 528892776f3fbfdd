import type { Knex } from 'knex';

/**
 * Each change updates the usage of its directory, so that checking a quota needs no counting. `member_count` includes pending members.
 * `resource_bytes` is the size of users and groups as JSON. Existing rows are counted as Postgres prints them.
 */
export const quotas: Knex.Migration = {
  up: (knex) =>
    knex.schema.raw(`
    alter table all_directories
      add column quotas jsonb,
      add column membership_count bigint not null default 0,
      add column resource_bytes bigint not null default 0;
    create or replace view directories as select * from all_directories where deleting_at is null;
    alter table groups add column member_count bigint not null default 0;

    update groups g set member_count = m.count
    from (
      select directory_id, group_id, count(*) as count
      from (select directory_id, group_id from group_members union all select directory_id, group_id from pending_members) members
      group by directory_id, group_id
    ) m
    where g.directory_id = m.directory_id and g.id = m.group_id;

    update all_directories d set membership_count = g.members, resource_bytes = g.bytes
    from (select directory_id, sum(member_count) as members, sum(octet_length(resource::text)) as bytes from groups group by directory_id) g
    where d.id = g.directory_id;
    update all_directories d set resource_bytes = d.resource_bytes + u.bytes
    from (select directory_id, sum(octet_length(resource::text)) as bytes from users group by directory_id) u
    where d.id = u.directory_id;
  `),
  down: () => Promise.reject(new Error('Quotas cannot be reverted: set them high instead.')),
};
