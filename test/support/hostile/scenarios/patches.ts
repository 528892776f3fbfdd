import { createLargest, createMembers } from '../fill.ts';
import { bulk, bulkOfGroups, emails, newGroup, newUser, patch, times, toBody, type Scenario } from '../scenario.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const named = (name: (index: number) => string) => Object.fromEntries(times(1_000, (index) => [name(index), 'x']));
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const terms = (count: number, prefix: string) => times(count, (index) => `value eq "${prefix}-${index}@example.com"`).join(' or ');

const longValues = (count: number) => times(count, (index) => ({ value: `${'v'.repeat(16_300)}${index}`, z: 0 }));
const wide = (names: number) => Object.fromEntries(times(names, (index) => [`name${index}`, 1]));

/** Small changes of large resources, many in one request. */
export const patchScenarios: Scenario[] = [
  {
    name: 'changes a user of 140,000 values 120 times in one Bulk',
    async run(attack) {
      const id = await createLargest(attack, '/Users', 140_000, (values) => newUser('values', { x: times(values, () => ({})) }));
      const operations = times(120, (index) => ({
        method: 'PATCH',
        path: `/Users/${id}`,
        data: patch({ op: 'replace', path: 'title', value: `title ${index}` }),
      }));
      await attack.repeat(6, 3, () => attack.send('POST', '/Bulk', bulk(...operations)));
    },
  },
  {
    name: 'looks through 2,000 e-mail addresses with 144 ten-term value paths in one Bulk',
    async run(attack) {
      const id = await createLargest(attack, '/Users', 2_000, (count) => newUser('mails', { emails: emails(count) }));
      const operations = times(18, (index) => ({
        op: 'replace',
        path: `emails[${terms(10, `none-${index}`)}].display`,
        value: 'x',
      }));
      const request = bulk(...times(8, () => ({ method: 'PATCH', path: `/Users/${id}`, data: patch(...operations) })));
      await attack.repeat(6, 3, () => attack.send('POST', '/Bulk', request));
    },
  },
  {
    name: 'looks for a text of 7,900 characters in nine thousand short ones, and makes lists of long values anew',
    async run(attack) {
      const short = times(9_000, (index) => `aaaaaaaaaaaaaa${index % 10}`);
      const list = await createLargest(attack, '/Users', 9_000, (count) => newUser('texts', { custom: short.slice(0, count) }));
      const values = await createLargest(attack, '/Users', 60, (count) => newUser('long', { custom: longValues(count) }));
      const search = times(7, () => ({ op: 'remove', path: `custom[value co "${'a'.repeat(7_900)}b"]` }));
      const inTurns = times(450, () => [
        { op: 'add', path: 'custom', value: [{ value: 'v', z: 0 }] },
        { op: 'replace', path: 'custom.z', value: 0 },
      ]);
      await attack.repeat(6, 3, () => attack.send('PATCH', `/Users/${list}`, patch(...search)));
      await attack.repeat(6, 3, () => attack.send('PATCH', `/Users/${values}`, patch(...inTurns.flat())));
    },
  },
  {
    name: 'compares values of ten thousand names with nine thousand others, and names absent parts of them',
    async run(attack) {
      const list = await createLargest(attack, '/Users', 9_000, (count) => newUser('list', { custom: times(count, () => ({})) }));
      const object = await createLargest(attack, '/Users', 9_000, (count) => newUser('object', { custom: wide(count) }));
      const absent = times(1_000, (index) => ({ op: 'remove', path: `custom.absent${index}` }));
      await attack.repeat(6, 3, (index) =>
        attack.send('PATCH', `/Users/${list}`, patch({ op: index % 2 ? 'add' : 'remove', path: 'custom', value: [wide(10_000)] })),
      );
      await attack.repeat(6, 3, () => attack.send('PATCH', `/Users/${object}`, patch(...absent)));
    },
  },
  {
    name: 'names a million versions, and a path of a million parts, in one Bulk',
    async run(attack) {
      const { id } = await attack.prepare('POST', '/Users', newUser('versions'));
      const versions = { method: 'DELETE', path: `/Users/${id}`, version: '1,'.repeat(1_500_000) };
      const parts = { method: 'DELETE', path: `/Users${'/a'.repeat(1_500_000)}` };
      await attack.repeat(6, 3, (index) => attack.send('POST', '/Bulk', bulk(index % 2 ? versions : parts)));
    },
  },
  {
    name: 'sends PATCHes of a thousand paths within the URN of a schema, alone and in a Bulk',
    async run(attack) {
      const { id } = await attack.prepare('POST', '/Users', newUser('named'));
      const paths = { op: 'add', value: { [core]: named((index) => `ims[a${index} pr]`) } };
      const names = { op: 'add', path: enterprise, value: named((index) => `name${index}`) };
      const inBulk = [times(290, () => paths), times(290, () => names)].map((operations) =>
        toBody(bulk({ method: 'PATCH', path: `/Users/${id}`, data: patch(...operations) })),
      );
      await attack.repeat(8, 4, (index) => attack.send('POST', '/Bulk', inBulk[index % 2]));
      await attack.repeat(20, 6, (index) => attack.send('PATCH', `/Users/${id}`, patch(...times(40, () => (index % 2 ? paths : names)))));
    },
  },
  {
    name: 'sends PATCHes of a thousand operations on wide lists',
    async run(attack) {
      const id = await createLargest(attack, '/Users', 1_000, (count) => newUser('wide', { emails: emails(count) }));
      const operations = times(1_000, (index) => ({ op: 'add', path: 'emails', value: [{ value: `more-${index}@example.com` }] }));
      await attack.repeat(12, 6, () => attack.send('PATCH', `/Users/${id}`, patch(...operations)));
    },
  },
  {
    name: 'replaces the members of a group of 20,000 unknown members a hundred times in one Bulk',
    async run(attack) {
      const { id } = await attack.prepare('POST', '/Groups', newGroup('unknown'));
      await attack.send('PUT', `/Groups/${id}`, newGroup('unknown', { members: times(20_000, (index) => ({ value: `nobody-${index}` })) }));
      const operations = times(100, (index) => ({
        method: 'PATCH',
        path: `/Groups/${id}`,
        data: patch({ op: index % 2 ? 'add' : 'remove', path: 'members', value: [{ value: `nobody-${index}` }] }),
      }));
      await attack.repeat(4, 2, () => attack.send('POST', '/Bulk', bulk(...operations)));
      await attack.repeat(4, 2, () =>
        attack.send('PATCH', `/Groups/${id}`, patch(...times(300, () => ({ op: 'remove', path: `members[${terms(10, 'x')}]` })))),
      );
    },
  },
  {
    name: 'sends a Bulk of a thousand groups that refer to each other in a circle',
    run: (attack) =>
      attack.repeat(4, 2, (request) =>
        attack.send(
          'POST',
          '/Bulk',
          bulkOfGroups(1_000, (index) =>
            newGroup(`circle-${request}-${index}`, {
              members: times(20, (step) => ({ value: `bulkId:g${(index + step + 1) % 1_000}` })),
            }),
          ),
        ),
      ),
  },
  {
    name: 'deletes users who are in two hundred groups each, in one Bulk',
    async run(attack) {
      const members = await createMembers(attack, 50, 'leaver');
      await attack.send(
        'POST',
        '/Bulk',
        bulkOfGroups(200, (index) => newGroup(`left-${index}`, { members, x: 'y'.repeat(3_000) })),
      );
      const deletions = members.map(({ value }) => ({ method: 'DELETE', path: `/Users/${value}` }));
      await attack.send('POST', '/Bulk', bulk(...deletions));
    },
  },
];
