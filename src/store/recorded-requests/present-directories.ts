/** SQL. `erased_at`: up to when requests may name a user that was erased. The clocks of processes may differ by a minute. */
export const presentDirectories = `present as (
       select d.id, coalesce(
         (select max(e.requests_until) + interval '60 seconds' from user_erasures e where e.directory_id = d.id), '-infinity') as erased_at
       from directories d where d.id = any(cast(:directoryIds as uuid[])) for key share of d skip locked
     )`;
