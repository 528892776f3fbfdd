/**
 * What a stored document takes of the memory of a process. A small one that is stored as it is need not be written out for that; what
 * `json_weight` counts (its text, and an object for each of its values) is about twice of it.
 */
export const weightOf = (json: string): string =>
  `case when pg_column_size(${json}) < 2048 and pg_column_compression(${json}) is null then 2 * pg_column_size(${json}) else json_weight(${json}) end`;
