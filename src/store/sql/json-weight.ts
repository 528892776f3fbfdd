/**
 * SQL for the memory, in bytes, that a JSON document takes in this process. `json_weight` counts the text and an object for each value, about
 * twice the stored size. That estimate is enough for a small uncompressed document and avoids writing it out.
 */
export const jsonWeight = (json: string): string =>
  `case when pg_column_size(${json}) < 2048 and pg_column_compression(${json}) is null then 2 * pg_column_size(${json}) else json_weight(${json}) end`;
