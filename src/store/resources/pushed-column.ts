import type { Pushed } from '../../scim/pushed.ts';
import { jsonWeight } from '../sql/response-memory.ts';

/** The column `pushed`: what differs from the resource of that version of the row. */
export type PushedColumn = Pushed & { version: number };

export const toPushed = ({ pushed, version }: { pushed: PushedColumn | null; version: number }): Pushed | undefined => {
  if (pushed?.version !== version) return undefined;
  const { version: _, ...rest } = pushed;
  return rest;
};

export const toPushedColumn = ({ pushed, version }: { pushed?: Pushed | undefined; version: number }): PushedColumn | null =>
  pushed ? { ...pushed, version } : null;

/** Users have attributes and roles besides. */
type Kind = 'users' | 'groups';

/** SQL for the memory of a row's documents. */
export const documentWeight = (row: string, kind: Kind): string => weightOf(`${row}.`, kind, jsonWeight);

/** The same without the estimate for small documents. `row` is an alias with a dot, or empty. */
export const exactDocumentWeight = (row: string, kind: Kind): string => weightOf(row, kind, (json) => `json_weight(${json})`);

function weightOf(row: string, kind: Kind, weigh: (json: string) => string): string {
  const common = `${weigh(`${row}resource`)} + coalesce(${weigh(`${row}pushed`)}, 0)`;
  if (kind === 'groups') return common;
  return `${common} + coalesce(${weigh(`${row}custom_attributes`)}, 0) + case when ${row}roles is null then 0
      else json_weight(${row}roles) + coalesce(json_weight(${row}group_roles), 0) end`;
}

/** SQL for the document as it was pushed, as `toRaw` returns it, of the row with this alias. */
export const rawOf = (row: string): string =>
  `case when cast(${row}.pushed ->> 'version' as bigint) = ${row}.version
      then (${row}.resource || coalesce(${row}.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(${row}.pushed -> 'unset'))
      else ${row}.resource end`;
