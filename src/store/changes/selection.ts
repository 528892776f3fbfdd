import type { Wanted } from '../../directory/changes/wanted.ts';

/** What one statement reads of a snapshot: all of it as a rule, and a part of it where all is much. */
export interface Piece extends Wanted {
  /** Resources that may be members already of a group that waits for one of these names, or gets members. */
  renamed: Set<string>;
  renamedAs: Set<string>;
  /** Whether `groupIds` names every group, also those that somebody leaves or arrives in. */
  namesAllGroups: boolean;
}

export const emptyPiece = (): Piece => ({
  userIds: new Set(),
  groupIds: new Set(),
  userNameKeys: new Set(),
  userExternalIds: new Set(),
  displayNameKeys: new Set(),
  groupExternalIds: new Set(),
  memberValues: new Set(),
  someMembersOf: new Set(),
  allMembersOf: new Set(),
  displaysOf: new Set(),
  leaving: new Set(),
  arriving: new Set(),
  renamed: new Set(),
  renamedAs: new Set(),
  namesAllGroups: true,
});

export const wholePiece = (wanted: Wanted): Piece => ({
  ...wanted,
  renamed: wanted.arriving.size > 0 ? new Set([...wanted.userIds, ...wanted.groupIds]) : new Set(),
  renamedAs: wanted.arriving,
  namesAllGroups: false,
});

type SetName = { [Name in keyof Piece]: Piece[Name] extends Set<string> ? Name : never }[keyof Piece];

/** A piece that can be read some values of one of its sets at a time. */
export interface DividedPiece {
  piece: Piece;
  by: SetName;
  /** How many values to begin with. */
  first: number;
}

const [firstResources, firstNames] = [16, 2_000];

/** What is wanted, in pieces. The groups that somebody leaves or arrives in must be named by now. */
export function dividePiece(whole: Piece): DividedPiece[] {
  const { someMembersOf, displaysOf, renamedAs } = whole;
  const parts: { by: SetName; first?: number; beside?: Partial<Piece> }[] = [
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
    { by: 'renamed', beside: { renamedAs, someMembersOf } },
  ];
  return parts
    .filter(({ by }) => whole[by].size > 0)
    .map(({ by, first = firstNames, beside }) => ({ piece: { ...emptyPiece(), ...beside, [by]: whole[by] }, by, first }));
}
