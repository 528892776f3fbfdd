import type { GroupFilter } from '../../directory/ports.ts';
import type { RowSelection } from '../resources/list-across.ts';

const ofDirectories = 'directory_id = any(cast(:directoryIds as uuid[]))';

/** The index that finds the fewest groups serves a filter. */
export function selectGroups({ user, idpId }: GroupFilter): RowSelection {
  const candidates =
    idpId !== undefined
      ? `select directory_id, id from groups where external_id = :idpId and ${ofDirectories}`
      : user &&
        `select directory_id, group_id as id from group_members where member_id = :userId and directory_id = :userDirectory and ${ofDirectories}`;
  return {
    candidates,
    isFew: candidates !== undefined,
    conditions: [
      ...(idpId === undefined ? [] : ['r.external_id = :idpId']),
      ...(user === undefined
        ? []
        : ['exists (select from group_members m where m.directory_id = r.directory_id and m.group_id = r.id and m.member_id = :userId)']),
    ],
    bindings: { ...(idpId !== undefined && { idpId }), ...(user && { userId: user.id, userDirectory: user.directoryId }) },
  };
}
