/** SQL for the ID that callers see, of a row of `users` or `groups`. */
export const publicIdOf = (alias: string): string => `coalesce(${alias}.public_id, cast(${alias}.id as text))`;

/** SQL for the same of a row of `group_members`. Only a derived key, a UUID of version 8, needs a lookup. */
export const publicIdOfMember = (alias: string, directoryId = `${alias}.directory_id`): string =>
  `case when ${hasDerivedKey(alias)} then coalesce(
        (select public_id from users where directory_id = ${directoryId} and id = ${alias}.member_id),
        (select public_id from groups where directory_id = ${directoryId} and id = ${alias}.member_id))
      else cast(${alias}.member_id as text) end`;

export const hasDerivedKey = (alias: string) => `substr(cast(${alias}.member_id as text), 15, 1) = '8'`;
