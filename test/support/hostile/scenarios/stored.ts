import { addAllUsers } from '../../memberships.ts';
import type { ServiceResponse } from '../../service.ts';
import type { Attack } from '../attack.ts';
import { createMembers } from '../fill.ts';
import { bulk, newGroup, newUser, patch, times, type Scenario } from '../scenario.ts';

const values = 140_000;
const members = 200;
const textBytes = 196_000;
const text = 'd'.repeat(textBytes);
/** One character beyond Latin-1: each of them takes two bytes of memory. */
const wideText = `${'d'.repeat(textBytes - 3)}語`;

/** Rows that no request can create. They were stored before today's limits existed. */
export const storedScenarios: Scenario[] = [
  {
    name: 'changes a stored user of 140,000 values 120 times in one Bulk',
    async run(attack) {
      const { id } = await attack.prepare('POST', '/Users', newUser('values', { title: 'title' }));
      await storeValues(attack, id);
      const before = await readStored(attack, id);
      const operations = times(120, (index) => ({
        method: 'PATCH',
        path: `/Users/${id}`,
        data: patch({ op: 'replace', path: 'title', value: `title ${index}` }),
      }));
      await attack.repeat(6, 3, () => attack.send('POST', '/Bulk', bulk(...operations)));
      assertStatuses(attack, [413, 503]);
      if ((await readStored(attack, id)) !== before) throw new Error('A rejected Bulk request changed the user.');
    },
  },
  {
    name: 'reads a stored group of 200 members with texts of 196 KB, six at once',
    run: (attack) => readGroup(attack, text),
  },
  {
    name: 'reads a stored group of 200 members with texts of 196 KB of which one character is wide, six at once',
    run: (attack) => readGroup(attack, wideText),
  },
];

async function storeValues({ target: { db }, directory }: Attack, id: string): Promise<void> {
  await db.raw(
    `with former as (select octet_length(cast(resource as text)) as bytes from users where directory_id = :directoryId and id = :id),
       changed as (
         update users
         set resource = resource || jsonb_build_object('x', (select jsonb_agg(cast('{}' as jsonb)) from generate_series(1, cast(:values as int))))
         where directory_id = :directoryId and id = :id
         returning octet_length(cast(resource as text)) as bytes
       )
     update directories set resource_bytes = resource_bytes + changed.bytes - former.bytes from former, changed where directories.id = :directoryId`,
    { directoryId: directory.id, id, values },
  );
}

/** The version and a hash of the content. */
async function readStored({ target: { db }, directory }: Attack, id: string): Promise<string> {
  const { rows } = await db.raw<{ rows: { version: number; hash: string }[] }>(
    'select version, md5(cast(resource as text)) as hash from users where directory_id = :directoryId and id = :id',
    { directoryId: directory.id, id },
  );
  return JSON.stringify(rows[0]);
}

async function readGroup(attack: Attack, display: string): Promise<string> {
  const { target, directory, statuses } = attack;
  await createMembers(attack, members, 'member');
  const { id } = await attack.prepare('POST', '/Groups', newGroup('texts'));
  await addAllUsers(target.db, directory.id, id, display);
  const scim = (path: string) => () => directory.scim('GET', path);
  const whole = scim(`/Groups/${id}`);
  const inPart = scim(`/Groups/${id}?attributes=members`);
  const listed = scim('/Groups?count=1000');
  const byApi = () => target.api('GET', `/api/v1/dsync/groups/${id}?directoryId=${directory.id}`);
  const reads = [...times(6, () => whole), ...times(2, () => [inPart, listed, byApi]).flat()];
  let complete = 0;
  await attack.repeat(reads.length, 6, async (index) => {
    const { status, body } = await reads[index]!();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 200 && !isComplete(body, display)) throw new Error('A response lacks members or texts.');
    if (status === 200) complete += 1;
    return status;
  });
  assertStatuses(attack, [200, 413, 503]);
  if (complete === 0) throw new Error('No read got the members.');
  return `${complete} of ${reads.length} complete`;
}

interface Member {
  display?: string;
}

/** Of a group, of a list of groups, or of a group of the JSON API. */
function isComplete(body: ServiceResponse['body'], display: string): boolean {
  const group = body.data?.raw ?? body.Resources?.[0] ?? body;
  const found = group.members as Member[] | undefined;
  return found?.length === members && found.every((member) => member.display === display);
}

function assertStatuses({ statuses }: Attack, expected: number[]): void {
  const others = [...statuses.keys()].filter((status) => !expected.includes(status));
  if (others.length > 0) throw new Error(`Requests got ${others.join(', ')} instead of ${expected.join(', ')}.`);
}
