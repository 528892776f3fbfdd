prepare statement_1 as
select "inactive_users", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_2 as
select *
from ((
  select coalesce(r.public_id, cast(r.id as text)) collate "C" as id, encode(sha256(convert_to(concat_ws(chr(10), coalesce(r.public_id, cast(r.id as text)), r.email, r.first_name, r.last_name, case when r.active then 'true' else 'false' end), 'UTF8')), 'hex') as hash
  from users r
  where r.directory_id = $1 and true and not substr(cast(r.id as text), 15, 1) = '8' and r.id between cast($2 as uuid) and cast($3 as uuid)
    and coalesce(r.public_id, cast(r.id as text)) collate "C" > $4 and coalesce(r.public_id, cast(r.id as text)) collate "C" <= $5
  order by r.directory_id, r.id
  limit $6
) union all (
  select coalesce(r.public_id, cast(r.id as text)) collate "C" as id, encode(sha256(convert_to(concat_ws(chr(10), coalesce(r.public_id, cast(r.id as text)), r.email, r.first_name, r.last_name, case when r.active then 'true' else 'false' end), 'UTF8')), 'hex') as hash
  from users r
  where r.directory_id = $7 and true and get_byte(uuid_send(r.id), 6) / 16 <> 7 and substr(cast(r.id as text), 15, 1) = '8'
    and coalesce(r.public_id, cast(r.id as text)) collate "C" > $8 and coalesce(r.public_id, cast(r.id as text)) collate "C" <= $9
  order by 1
  limit $10
)) found
order by id collate "C"
limit $11;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '00000000-0000-0000-0000-000000000000',
  /* $3 */ '10000000-0000-0000-0000-000000000002',
  /* $4 */ '',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 10,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ '',
  /* $9 */ '10000000-0000-0000-0000-000000000002',
  /* $10 */ 10,
  /* $11 */ 10
);

prepare statement_3 as
select "inactive_users", "inactive_users_upto"
from "directories"
where "id" = $1
limit $2;
execute statement_3 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);

prepare statement_4 as
select "id"
from "groups"
where "directory_id" = $1 and "id" = $2
limit $3;
execute statement_4 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ 1
);

prepare statement_5 as
select *
from ((
  select case when substr(cast(r.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = r.directory_id and id = r.member_id
  ), (
    select public_id
    from groups
    where directory_id = r.directory_id and id = r.member_id
  )) else cast(r.member_id as text) end collate "C" as id, null as hash
  from group_members r
  where r.directory_id = $1 and r.group_id = cast($2 as uuid) and r.kind = 'user' and not substr(cast(r.member_id as text), 15, 1) = '8'
    and r.member_id between cast($3 as uuid) and cast($4 as uuid) and case when substr(cast(r.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = r.directory_id and id = r.member_id
  ), (
    select public_id
    from groups
    where directory_id = r.directory_id and id = r.member_id
  )) else cast(r.member_id as text) end collate "C" > $5
  order by r.directory_id, r.group_id, r.member_id
  limit $6
) union all (
  select case when substr(cast(r.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = r.directory_id and id = r.member_id
  ), (
    select public_id
    from groups
    where directory_id = r.directory_id and id = r.member_id
  )) else cast(r.member_id as text) end collate "C" as id, null as hash
  from group_members r
  where r.directory_id = $7 and r.group_id = cast($8 as uuid) and r.kind = 'user' and get_byte(uuid_send(r.member_id), 6) / 16 <> 7
    and substr(cast(r.member_id as text), 15, 1) = '8' and case when substr(cast(r.member_id as text), 15, 1) = '8' then coalesce((
    select public_id
    from users
    where directory_id = r.directory_id and id = r.member_id
  ), (
    select public_id
    from groups
    where directory_id = r.directory_id and id = r.member_id
  )) else cast(r.member_id as text) end collate "C" > $9
  order by 1
  limit $10
)) found
order by id collate "C"
limit $11;
execute statement_5 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ '10000000-0000-0000-0000-000000000003',
  /* $3 */ '00000000-0000-0000-0000-000000000000',
  /* $4 */ 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  /* $5 */ '',
  /* $6 */ 10,
  /* $7 */ '10000000-0000-0000-0000-000000000001',
  /* $8 */ '10000000-0000-0000-0000-000000000003',
  /* $9 */ '',
  /* $10 */ 10,
  /* $11 */ 10
);
