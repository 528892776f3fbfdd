prepare statement_1 as
with ended as (delete from first_mutation_starts where id = any(cast($1 as uuid[])))
insert into first_mutation_starts(id, mutation_ids)
select $2, cast($3 as uuid[])
from set_config('synchronous_commit', 'off', true)
where cast($4 as boolean) or not (exists (
  select
  from unnest(cast($5 as uuid[]), cast($6 as uuid[])) as given(directory_id, id)
  join mutation_starts s on s.directory_id = given.directory_id and s.id = given.id
) or exists (
  select
  from first_mutation_starts
  where mutation_ids && cast($7 as uuid[]) and id <> all (cast($8 as uuid[]))
))
returning id;
execute statement_1 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000001"}',
  /* $2 */ '10000000-0000-0000-0000-000000000002',
  /* $3 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $4 */ false,
  /* $5 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $6 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $7 */ '{"10000000-0000-0000-0000-000000000003"}',
  /* $8 */ '{"10000000-0000-0000-0000-000000000001"}'
);

prepare statement_2 as
delete from first_mutation_starts
where id = any(cast($1 as uuid[]));
execute statement_2 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000005"}'
);

prepare statement_3 as
insert into mutation_starts(directory_id, id, starts)
select directory_id, id, 1
from unnest(cast($1 as uuid[]), cast($2 as uuid[])) as given(directory_id, id)
on conflict(directory_id, id) do update
set starts = mutation_starts.starts + 1, started_at = clock_timestamp();
execute statement_3 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}'
);

prepare statement_4 as
insert into mutation_starts(directory_id, id, starts)
values ($1, $2, 2)
on conflict(directory_id, id) do update
set starts = mutation_starts.starts + 1, started_at = clock_timestamp()
returning starts;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000004',
  /* $2 */ '10000000-0000-0000-0000-000000000003'
);

prepare statement_5 as
update mutation_starts s
set starts = s.starts - 1
from unnest(cast($1 as uuid[]), cast($2 as uuid[])) as given(directory_id, id)
where s.directory_id = given.directory_id and s.id = given.id and s.starts > 0;
execute statement_5 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}'
);

prepare statement_6 as
delete from mutation_starts s using unnest(cast($1 as uuid[]), cast($2 as uuid[])) as given(directory_id, id)
where s.directory_id = given.directory_id and s.id = given.id;
execute statement_6 (
  /* $1 */ '{"10000000-0000-0000-0000-000000000004"}',
  /* $2 */ '{"10000000-0000-0000-0000-000000000003"}'
);
