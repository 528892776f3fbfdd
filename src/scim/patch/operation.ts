import type { Filter } from '../filter/filter.ts';
import type { AttributePath } from '../schema/attribute.ts';

/** `emails[type eq "work"].value`: `filter` chooses among the values of `path`, and `path.sub` is what is meant of each. */
export interface Target {
  path: AttributePath;
  filter?: Filter;
}

/** One operation of a PATCH, after every dialect was brought to one form: it always has a target. Plain JSON. */
export type PatchOperation =
  | { op: 'add' | 'replace'; target: Target; value: unknown }
  /** With a value only those elements go (Entra, OneLogin, JumpCloud). */
  | { op: 'remove'; target: Target; value?: unknown };

export interface Member {
  /** What the provider calls it: one of our ids, as a rule. */
  value: string;
  display?: string;
}

/** What a PATCH does to a group's members, in its order. Members are rows, and never part of the document. */
export type MemberChange =
  | { kind: 'add'; members: Member[] }
  | { kind: 'remove'; values: string[] }
  /** No members: all are removed. */
  | { kind: 'replace'; members: Member[] }
  /** A filter that is more than `value eq "…"`. */
  | { kind: 'removeMatching'; filter: Filter };
