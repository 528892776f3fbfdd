import type { Hiding } from '../../directory/directories/hiding.ts';

/** SQL for whether a user, the row with this alias, exists in events, in a directory that hides some. Needs `toHidingBindings`. */
export const isUserShown = (row: string): string =>
  `(${row}.active or ${row}.id <= cast(:hiddenAfter as uuid) or ${row}.id > cast(:hiddenUpto as uuid))`;

/** The same for a membership: whether its user does. */
export const isMemberShown = (row: string): string =>
  `exists (select from users shown where shown.directory_id = ${row}.directory_id and shown.id = ${row}.member_id and ${isUserShown('shown')})`;

export const toHidingBindings = ({ after, upto }: Hiding) => ({ hiddenAfter: after, hiddenUpto: upto });
