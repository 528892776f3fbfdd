import { defaultQuotas } from '../../../../src/directory/quotas.ts';
import type { Attack } from '../attack.ts';
import { createLargest, createMembers } from '../fill.ts';
import { newGroup, newUser, bulkOfGroups, patch, times, type Scenario } from '../scenario.ts';

/** Groups that are large in one dimension or another. */
export const groupScenarios: Scenario[] = [
  {
    name: 'reads a group whose members carry long texts, six at once',
    async run(attack) {
      const id = await createLargest(attack, '/Groups', 196_000, (bytes) =>
        newGroup('texts', { members: times(40, (index) => ({ value: `nobody-${index}`, display: 'd'.repeat(bytes) })) }),
      );
      await attack.repeat(24, 6, (index) => attack.send('GET', index % 2 ? `/Groups/${id}` : '/Groups?count=1000'));
    },
  },
  {
    name: 'adds and removes 200 members of a group as large as may be',
    async run(attack) {
      const members = await createMembers(attack, 200, 'member');
      const id = await createLargest(attack, '/Groups', 667_000, (bytes) => newGroup('large', { x: randomText(bytes) }));
      const before = await databaseBytes();
      await attack.prepare('PATCH', `/Groups/${id}`, patch({ op: 'add', path: 'members', value: members }));
      await attack.prepare('PATCH', `/Groups/${id}`, patch({ op: 'remove', path: 'members' }));
      const grownBytes = (await databaseBytes()) - before;
      if (grownBytes > 10_000_000) throw new Error(`The database has grown by ${grownBytes} bytes.`);
      return `the database grew by ${Math.round(grownBytes / 1024)} KiB`;

      async function databaseBytes(): Promise<number> {
        const { rows } = await attack.target.db.raw<{ rows: { bytes: number }[] }>('select pg_database_size(current_database()) as bytes');
        return rows[0]!.bytes;
      }
    },
  },
  {
    name: 'has a group of 50,000 unknown members, and replaces them',
    run: (attack) =>
      attack.repeat(4, 2, async (request) => {
        const members = times(50_000, (index) => ({ value: `nobody-${request}-${index}` }));
        return attack.send('POST', '/Groups', newGroup(`crowd-${request}`, { members }));
      }),
  },
  {
    name: 'lets a thousand groups wait for one user, who then comes, changes names and leaves',
    async run(attack) {
      await attack.send(
        'POST',
        '/Bulk',
        bulkOfGroups(1_000, (index) => newGroup(`waiting-${index}`, { members: [{ value: 'awaited' }], x: 'y'.repeat(500) })),
      );
      const { id } = await attack.prepare('POST', '/Users', newUser('awaited'));
      await attack.repeat(20, 1, (index) =>
        attack.send('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'userName', value: `awaited-${index}` })),
      );
      await attack.send('DELETE', `/Users/${id}`);
    },
  },
  {
    name: 'puts a user into as many groups with long names as may be, reads and changes it ten times at once, and deletes it',
    async run(attack) {
      const { id } = await attack.prepare('POST', '/Users', newUser('everywhere'));
      const lastStatuses = await fillGroups(attack, id, defaultQuotas.groupsPerMember + 1_000);
      if (lastStatuses.some((status) => status !== '403')) throw new Error('A user is in more groups than allowed.');
      await attack.repeat(40, 10, (index) =>
        attack.send('GET', index % 2 ? `/Users/${id}` : `/Users?filter=${encodeURIComponent('userName eq "everywhere"')}`),
      );
      await attack.repeat(20, 10, (index) =>
        attack.send('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: `title ${index}` })),
      );
      await attack.repeat(10, 10, () => attack.send('GET', '/Users?count=1000'));
      await attack.send('DELETE', `/Users/${id}`);
    },
  },
];

/** Returns the outcomes of the operations of the last Bulk request. */
async function fillGroups({ prepare }: Attack, value: string, count: number): Promise<string[]> {
  const atOnce = 500;
  let statuses: string[] = [];
  for (let from = 0; from < count; from += atOnce) {
    const request = bulkOfGroups(atOnce, (index) => newGroup(`long-${from + index}-`.padEnd(500, 'n'), { members: [{ value }] }));
    const { Operations } = await prepare<{ Operations: { status: string }[] }>('POST', '/Bulk', request);
    statuses = Operations.map(({ status }) => status);
  }
  return statuses;
}

function randomText(length: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  let state = 7;
  return Array.from({ length }, () => letters[(state = (state * 48_271) % 2_147_483_647) % letters.length]).join('');
}
