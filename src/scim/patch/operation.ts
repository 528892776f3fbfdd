import type { Filter, Target } from '../filter/filter.ts';

/** A PATCH operation in normalized form: it always has a target. Plain JSON. */
export type PatchOperation =
  | { op: 'add' | 'replace'; target: Target; value: unknown }
  /** With a value, only matching elements are removed (Entra, OneLogin, JumpCloud). */
  | { op: 'remove'; target: Target; value?: unknown };

/** An operation that sets a value. */
export type SetOperation = Extract<PatchOperation, { op: 'add' | 'replace' }>;

export interface Member {
  /** The ID that the identity provider sent; usually one of ours. */
  value: string;
  display?: string;
}

/** The changes of a PATCH to a group's members, in order. Members are rows in the database, not part of the document. */
export type MemberChange =
  | { kind: 'add'; members: Member[] }
  | { kind: 'remove'; values: string[] }
  /** An empty list removes all members. */
  | { kind: 'replace'; members: Member[] }
  /** The filter is not of the form `value eq "…"`. */
  | { kind: 'removeMatching'; filter: Filter };
