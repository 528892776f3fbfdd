/**
 * SQL that returns the last sequence whose event is before a time, or `low` if there is none up to `high`. All arguments are SQL. Times increase
 * with the sequence, so a binary search over the primary key replaces an index on times. Each step takes the first event that exists after
 * the middle.
 */
export const lastSequenceBefore = ({ directoryId, low, high, time }: Record<'directoryId' | 'low' | 'high' | 'time', string>) =>
  `with recursive search (low, high) as (
       select ${low}, ${high} + 1
       union all
       select case when probe.occurred_at < ${time} then probe.sequence else low end,
         case when probe.occurred_at < ${time} then high else middle end
       from search cross join lateral (select low + (high - low) / 2 as middle) m
         left join lateral (
           select sequence, occurred_at from stored_events where directory_id = ${directoryId} and sequence >= middle
           order by directory_id, sequence limit 1
         ) probe on probe.sequence < high
       where high - low > 1
     )
     select low as sequence from search where high - low <= 1`;
