prepare statement_1 as
insert into mutation_starts(directory_id, id, starts)
select directory_id, id, 1
from unnest(cast($1 as uuid[]), cast($2 as uuid[])) as given(directory_id, id)
where not exists (
  select
  from mutation_starts s
  join unnest(cast($3 as uuid[]), cast($4 as uuid[])) as other(directory_id, id) on s.directory_id = other.directory_id and s.id = other.id
)
on conflict do nothing;
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002"}',
  /* $3 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $4 */ '{"10000000-0000-0000-0000-000000000002"}'
);

prepare statement_2 as
insert into mutation_starts(directory_id, id, starts)
values ($1, $2, 2)
on conflict(directory_id, id) do update
set starts = mutation_starts.starts + 1, started_at = clock_timestamp()
returning starts;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000002'
);

prepare statement_3 as
update mutation_starts s
set starts = s.starts - 1
from unnest(cast($1 as uuid[]), cast($2 as uuid[])) as given(directory_id, id)
where s.directory_id = given.directory_id and s.id = given.id and s.starts > 0;
execute statement_3 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002"}'
);

prepare statement_4 as
delete from mutation_starts s using unnest(cast($1 as uuid[]), cast($2 as uuid[])) as given(directory_id, id)
where s.directory_id = given.directory_id and s.id = given.id;
execute statement_4 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002"}'
);
