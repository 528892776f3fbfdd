import type { UserFilter } from '../../directory/ports.ts';
import { foldCase } from '../../scim/text.ts';
import type { RowSelection } from '../resources/list-across.ts';

const ofDirectories = 'directory_id = any(cast(:directoryIds as uuid[]))';

/** `email` of a user without an address is the user name. An address may be empty. */
const hasNoEmail = `not exists (select from user_emails e where e.user_id = r.id and e.directory_id = r.directory_id and e.value_key <> '')`;

/**
 * One text for each row, since `lower` is what takes the time, with a character between the values that nobody types. The full name is one
 * value. Without patterns, since what somebody types has no special characters.
 */
const searched = `concat_ws(chr(31), concat_ws(' ', r.first_name, r.last_name), r.email, r.user_name_key, r.display_name_key, r.external_id)`;
/** For a text of ASCII only ASCII is folded, which takes a part of the time. */
const isFoundAscii = `strpos(lower(${searched} collate "C"), lower(cast(:search as text) collate "C")) > 0`;
/** The columns that end in `_key` are folded by the application, and `lower` depends on the locale of the database. */
const isFoundFolded = `(strpos(lower(${searched}), lower(:search)) > 0 or strpos(lower(${searched}), :foldedSearch) > 0)`;
const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);

/**
 * The index that finds the fewest users serves a filter, and the other conditions are checked on what it finds. Most users are active; the
 * inactive ones have an index in the order of the list.
 */
export function selectUsers(filter: UserFilter): RowSelection {
  const { search, email, userName, idpId, group, isActive, updatedAfter } = filter;
  const candidates = candidatesOf(filter);
  return {
    ...(candidates !== undefined && { candidates }),
    conditions: [
      ...(userName === undefined ? [] : ['r.user_name_key = :userNameKey']),
      ...(idpId === undefined ? [] : ['r.external_id = :idpId']),
      ...(email === undefined
        ? []
        : [
            `(exists (select from user_emails e where e.value_key = :emailKey and e.directory_id = r.directory_id and e.user_id = r.id)
              or r.user_name_key = :emailKey and ${hasNoEmail})`,
          ]),
      ...(group === undefined
        ? []
        : ['exists (select from group_members m where m.directory_id = r.directory_id and m.group_id = :groupId and m.member_id = r.id)']),
      // Not a binding: the index of inactive users has only these.
      ...(isActive === undefined ? [] : [isActive ? 'r.active' : 'not r.active']),
      ...(updatedAfter === undefined ? [] : ['r.updated_at > :updatedAfter']),
      ...(search === undefined ? [] : [isAscii(search) ? isFoundAscii : isFoundFolded]),
    ],
    isFew: userName !== undefined || idpId !== undefined || email !== undefined,
    bindings: {
      ...(userName !== undefined && { userNameKey: foldCase(userName) }),
      ...(idpId !== undefined && { idpId }),
      ...(email !== undefined && { emailKey: foldCase(email) }),
      ...(group !== undefined && { groupId: group.id, groupDirectory: group.directoryId }),
      ...(updatedAfter !== undefined && { updatedAfter }),
      ...(search !== undefined && { search, ...(!isAscii(search) && { foldedSearch: foldCase(search) }) }),
      ...(candidates === byState && {
        states: isActive === undefined ? [true, false] : [isActive],
      }),
    },
  };
}

const byState = `select directory_id, id from users
       where active = any(cast(:states as boolean[])) and ${ofDirectories} and updated_at > cast(:updatedAfter as timestamptz)`;

function candidatesOf({ email, userName, idpId, group, updatedAfter }: UserFilter): string | undefined {
  if (userName !== undefined) return `select directory_id, id from users where user_name_key = :userNameKey and ${ofDirectories}`;
  if (idpId !== undefined) return `select directory_id, id from users where external_id = :idpId and ${ofDirectories}`;
  if (email !== undefined)
    return `select directory_id, user_id as id from user_emails where value_key = :emailKey and ${ofDirectories}
       union select directory_id, id from users where user_name_key = :emailKey and ${ofDirectories}`;
  if (group !== undefined)
    return `select directory_id, member_id as id from group_members
       where directory_id = :groupDirectory and group_id = :groupId and kind = 'user' and ${ofDirectories}`;
  return updatedAfter === undefined ? undefined : byState;
}
