import { createReadSet, type ReadSet } from '../../directory/changes/read-set.ts';

/** What one statement reads of a snapshot: everything, or a part of a large snapshot. */
export interface Selection extends ReadSet {
  /** Renamed resources, which may already be members of a group that has a pending member with a new name, or that gets members. */
  renamed: Set<string>;
  /** The new names. */
  renamedAs: Set<string>;
  /** Whether `groupIds` already includes the groups that members leave or arrive in. */
  namesAllGroups: boolean;
}

export const selectNothing = (): Selection => ({
  ...createReadSet(),
  renamed: new Set(),
  renamedAs: new Set(),
  namesAllGroups: true,
});

export const selectAll = (wanted: ReadSet): Selection => ({
  ...wanted,
  renamed: wanted.arriving.size > 0 ? new Set([...wanted.userIds, ...wanted.groupIds]) : new Set(),
  renamedAs: wanted.arriving,
  namesAllGroups: false,
});

export type SetName = { [Name in keyof Selection]: Selection[Name] extends Set<string> ? Name : never }[keyof Selection];

export const setNames = Object.entries(selectNothing()).flatMap(([name, values]) => (values instanceof Set ? (name as SetName) : []));

/** A part of a selection. It is read in batches of the values in one of its sets. */
export interface SelectionPart {
  selection: Selection;
  by: SetName;
  /** The size of the first batch. */
  first: number;
}

const [firstResources, firstNames] = [16, 2_000];

/** Splits a selection. `groupIds` must include the groups that members leave or arrive in. */
export function splitSelection(whole: Selection): SelectionPart[] {
  const { someMembersOf, displaysOf, renamedAs } = whole;
  const parts: { by: SetName; first?: number; beside?: Partial<Selection> }[] = [
    { by: 'userIds', first: firstResources },
    { by: 'groupIds', first: firstResources },
    { by: 'userNameKeys' },
    { by: 'userExternalIds' },
    { by: 'displayNameKeys' },
    { by: 'groupExternalIds' },
    { by: 'memberValues', beside: { someMembersOf } },
    { by: 'allMembersOf', first: 1, beside: { displaysOf } },
    { by: 'leaving' },
    { by: 'arriving' },
    { by: 'recomputed' },
    { by: 'renamed', beside: { renamedAs, someMembersOf } },
  ];
  return parts
    .filter(({ by }) => whole[by].size > 0)
    .map(({ by, first = firstNames, beside }) => ({ selection: { ...selectNothing(), ...beside, [by]: whole[by] }, by, first }));
}
