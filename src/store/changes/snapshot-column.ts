import { boundValues, lookUpRows } from '../sql/look-up-rows.ts';

/** A column of the statement that reads a snapshot. */
export interface SnapshotColumn {
  name: string;
  /** A CTE that looks up rows. Absent if the column uses rows of other readings. */
  sql?: string;
  /** SQL for the memory that the rows take, measured before any row is returned. */
  weight?: string;
  column: string;
  bindings: Record<string, unknown>;
}

/** Memory of a name, a member or a pending member, without its texts. */
export const rowBytes = 64;

/** A branch of a union. Branches that would find nothing are omitted, since each takes time. */
export interface Source {
  name: string;
  sql: string;
  bindings: Record<string, string[]>;
}

export const namesOf = (sources: Source[]) => sources.map(({ name }) => name).join('-');
export const bindingsOf = (sources: Source[]): Record<string, string[]> => Object.assign({}, ...sources.map(({ bindings }) => bindings));

/** SQL for the pending members with one of these values. */
export const pendingAs = (values: string) =>
  lookUpRows({ table: 'pending_members', column: 'value_key', values: boundValues(values, 'text') });
