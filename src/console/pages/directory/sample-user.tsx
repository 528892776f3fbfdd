import { api, useRead } from '../../api.ts';
import { personName } from '../../parts/records.ts';
import { userHref } from './links.ts';

interface SampleUserProps {
  directoryId: string;
  userId: string;
}

/** A user of a preview, who has only an ID there. */
export function SampleUser({ directoryId, userId }: SampleUserProps) {
  const { value } = useRead((options) => api.users.get(userId, { directory_id: directoryId }, options), [directoryId, userId]);
  return (
    <a class="isolated" href={userHref(directoryId, userId)}>
      {value ? personName(value.data) : userId}
    </a>
  );
}
