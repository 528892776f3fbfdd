prepare statement_1 as
select member_id, count(*) as groups
from group_members
where directory_id = $1 and member_id = any(cast($2 as uuid[]))
group by member_id;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002"}'
);

prepare statement_2 as
select m.member_id, cast(sum(300 + 2 * octet_length(g.display_name)) as float8) as weight
from group_members m
join groups g on g.directory_id = m.directory_id and g.id = m.group_id
where m.directory_id = $1 and m.member_id = any(cast($2 as uuid[]))
group by m.member_id;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002"}'
);

prepare statement_3 as
select m.member_id, json_agg(json_build_object('id', coalesce(g.public_id, cast(g.id as text)), 'displayName', g.display_name) order by g.id) as groups
from group_members m
join groups g on g.directory_id = m.directory_id and g.id = m.group_id
where m.directory_id = $1 and m.member_id = any(cast($2 as uuid[]))
group by m.member_id;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '{"10000000-0000-0000-0000-000000000002"}'
);
