import type { DirectoryReader } from '../resources/directory-reader.ts';
import { toResourceKey } from '../resources/resource-ids.ts';
import { subjectOf } from './user-requests.ts';

const maxUsers = 10;

/** Under what the requests about a user are found, whom a caller names by an ID, user name, email address or external ID. */
export async function findSubjects(
  { listUsers }: Pick<DirectoryReader, 'listUsers'>,
  directoryId: string,
  user: string,
): Promise<string[]> {
  const found = await Promise.all(
    [{ userName: user }, { email: user }, { idpId: user }].map((filter) =>
      listUsers({ directoryId }, filter, { offset: 0, limit: maxUsers }),
    ),
  );
  const ids = found.flatMap(({ data }) => data.map(({ id }) => id));
  return [...new Set([user, ...ids].flatMap((id) => [id, toResourceKey(id)]).map(subjectOf))];
}
