/** SQL for whether events tell of a membership, of the row with this alias, in a directory whose `inactive_users` is `delete`. */
export const isMemberShown = (row: string): string =>
  `exists (select from users shown where shown.directory_id = ${row}.directory_id and shown.id = ${row}.member_id and shown.active)`;
