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

/** Users have attributes besides. */
type Kind = 'users' | 'groups';

/** SQL for the memory of a row's documents. */
export const documentWeight = (row: string, kind: Kind): string =>
  `${jsonWeight(`${row}.resource`)} + coalesce(${jsonWeight(`${row}.pushed`)}, 0)${kind === 'users' ? ` + coalesce(${jsonWeight(`${row}.custom_attributes`)}, 0)` : ''}`;

/** The same without the estimate for small documents. `row` is an alias with a dot, or empty. */
export const exactDocumentWeight = (row: string, kind: Kind): string =>
  `json_weight(${row}resource) + coalesce(json_weight(${row}pushed), 0)${kind === 'users' ? ` + coalesce(json_weight(${row}custom_attributes), 0)` : ''}`;

/** SQL for the document as it was pushed, as `toRaw` returns it, of the row with this alias. */
export const rawOf = (row: string): string =>
  `case when cast(${row}.pushed ->> 'version' as bigint) = ${row}.version
      then (${row}.resource || coalesce(${row}.pushed -> 'set', '{}')) - array(select jsonb_array_elements_text(${row}.pushed -> 'unset'))
      else ${row}.resource end`;
