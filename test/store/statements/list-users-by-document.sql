prepare statement_1 as
select *
from (
  select *, count(*) over () as fetched, coalesce(sum(weight) over (order by id asc rows between unbounded preceding and 1 preceding), 0) as weight_before
  from (
    select *
    from (
      select "u".*, ('') as sort_key
      from "users" as "u"
      where "u"."directory_id" = $1 and (((exists (
        select
        from user_emails i
        where i.directory_id = u.directory_id and i.user_id = u.id and i.value_key = cast($2 as text)
      ) and exists (
        select
        from jsonb_path_query(u.resource -> cast($3 as text), '$[*]') with ordinality as filter_0(value, position)
        where jsonb_typeof(filter_0.value) <> 'null' and ((exists (
          select
          from jsonb_path_query(filter_0.value -> cast($4 as text), '$[*]') with ordinality as filter_1(value, position)
          where (jsonb_typeof(filter_1.value) = 'string' and lower(((filter_1.value) #>> '{}')) = lower(cast($5 as text)))
        ) and exists (
          select
          from jsonb_path_query(case when jsonb_typeof(filter_0.value) in ('string', 'number', 'boolean') then filter_0.value else filter_0.value -> cast($6 as text) end, '$[*]') with ordinality as filter_2(value, position)
          where (jsonb_typeof(filter_2.value) = 'string' and lower(((filter_2.value) #>> '{}')) = lower(cast($7 as text)))
        )))
      )) or exists (
        select
        from jsonb_path_query(u.resource -> cast($8 as text), '$[*]') with ordinality as filter_3(value, position), jsonb_path_query(filter_3.value -> cast($9 as text), '$[*]') with ordinality as filter_4(value, position)
        where (jsonb_typeof(filter_4.value) = 'string' and starts_with(lower(((filter_4.value) #>> '{}')), lower(cast($10 as text))))
      ) or exists (
        select
        from jsonb_each(case when jsonb_typeof(u.resource) = 'object' then u.resource when jsonb_typeof(u.resource) in ('string', 'number', 'boolean') then jsonb_build_object('value', u.resource) end) as filter_5(key, value),
          jsonb_path_query(filter_5.value, '$[*]') with ordinality as filter_6(value, position), jsonb_each(case when jsonb_typeof(filter_6.value) = 'object' then filter_6.value when jsonb_typeof(filter_6.value) in ('string', 'number', 'boolean') then jsonb_build_object('value', filter_6.value) end) as filter_7(key, value),
          jsonb_path_query(filter_7.value, '$[*]') with ordinality as filter_8(value, position)
        where lower(filter_5.key) = lower(cast($11 as text)) and lower(filter_7.key) = lower(cast($12 as text)) and (jsonb_path_exists(filter_8.value, cast($13 as jsonpath)))
      )))
    ) as "keyed"
    order by id asc
    limit $14
  ) as "page"
  cross join lateral (
    select json_weight(page.resource) + coalesce(json_weight(page.pushed), 0) + coalesce(json_weight(page.custom_attributes), 0) + case when page.roles is null then 0 else json_weight(page.roles) + coalesce(json_weight(page.group_roles), 0) end as weight
    offset 0
  ) weighed
) as "measured"
where "weight_before" < $15
order by id asc;
execute statement_1 (
  /* $1 */ '10000000-0000-0000-0000-000000000001',
  /* $2 */ 'ada@example.com',
  /* $3 */ 'emails',
  /* $4 */ 'type',
  /* $5 */ 'work',
  /* $6 */ 'value',
  /* $7 */ 'ada@example.com',
  /* $8 */ 'name',
  /* $9 */ 'familyName',
  /* $10 */ 'L',
  /* $11 */ 'urn:acme',
  /* $12 */ 'costCenter',
  /* $13 */ '$.** ? (@.type() == "number" || @.type() == "boolean" || (@.type() == "string" && @ != ""))',
  /* $14 */ 11,
  /* $15 */ 8388608
);
