prepare statement_1 as
select *
from (
  select *, count(*) over () as fetched, coalesce(sum(weight) over (order by sort_key collate "C" asc, id asc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from (
    select *
    from (
      select "u".*, ((coalesce('0' || left((
        select lower(((sort_1.value) #>> '{}'))
        from jsonb_path_query(u.resource -> cast($1 as text), '$[*]') with ordinality as sort_0(value, position), jsonb_path_query(sort_0.value -> cast($2 as text), '$[*]') with ordinality as sort_1(value, position)
        where jsonb_typeof(sort_1.value) in ('string', 'number', 'boolean')
        order by (sort_0.value -> 'primary' = to_jsonb(true)) is true desc, sort_0.position, sort_1.position
        limit 1
      ), 199), '1') collate "C")) as sort_key
      from "users" as "u"
      where "u"."directory_id" = $3
    ) as "keyed"
    where (sort_key collate "C", id) > ($4, cast($5 as uuid))
    order by sort_key collate "C" asc, id asc
    limit $6
  ) as "page"
  cross join lateral (
    select json_weight(page.resource) + coalesce(json_weight(page.pushed), 0) + coalesce(json_weight(page.custom_attributes), 0) + case when page.roles is null then 0 else json_weight(page.roles) + coalesce(json_weight(page.group_roles), 0) end as weight
    offset 0
  ) weighed
) as "measured"
where "weight_before" < $7
order by sort_key collate "C" asc, id asc;
execute statement_1 (
  /* $1 */ 'name',
  /* $2 */ 'familyName',
  /* $3 */ '10000000-0000-0000-0000-000000000001',
  /* $4 */ '0lovelace',
  /* $5 */ '10000000-0000-0000-0000-000000000002',
  /* $6 */ 11,
  /* $7 */ 8388608
);

prepare statement_2 as
select "user_count"
from "directories"
where "id" = $1
limit $2;
execute statement_2 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 1
);
