import { randomUUID } from 'node:crypto';
import { fullName, lookUp, patch, schemas, type Person, type Push, type SimulatedProvider } from './push.ts';

/** Microsoft Entra ID in its default dialect: capital operations, booleans as text, one operation for each attribute. */
export const entra: SimulatedProvider = {
  name: 'Microsoft Entra ID',
  directoryType: 'azure-scim-v2',
  headers: { 'content-type': 'application/scim+json; charset=utf-8', 'user-agent': 'Azure-AD-Provisioning' },

  async run({ push, announce, people, groupName }) {
    announce('Test the connection');
    await lookUp(push, `/Users?filter=${encodeURIComponent(`userName eq "${randomUUID()}"`)}`);

    const ids = new Map<Person, string>();
    for (const person of people) {
      announce(`Provision ${fullName(person)}`);
      ids.set(person, await provision(push, person));
    }

    announce(`Provision the group ${groupName}`);
    const groupId = await provisionGroup(push, groupName);
    // One request for each member, as Entra sends them.
    for (const id of ids.values())
      await push('PATCH', `/Groups/${groupId}`, patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] }));

    const [promoted] = people as [Person];
    announce(`Update ${fullName(promoted)}`);
    await push(
      'PATCH',
      `/Users/${ids.get(promoted)}`,
      patch(
        { op: 'Replace', path: 'title', value: `Senior ${promoted.title}` },
        { op: 'Add', path: `${schemas.enterpriseUser}:department`, value: groupName },
      ),
    );

    const leaving = people.at(-1)!;
    announce(`Remove ${fullName(leaving)} from ${groupName}`);
    await push('PATCH', `/Groups/${groupId}`, patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: ids.get(leaving) }] }));
    announce(`Disable ${fullName(leaving)}`);
    await push('PATCH', `/Users/${ids.get(leaving)}`, patch({ op: 'Replace', path: 'active', value: 'False' }));
  },
};

async function provision(push: Push, person: Person): Promise<string> {
  const existing = await lookUp(push, `/Users?filter=${encodeURIComponent(`userName eq "${person.email}"`)}`);
  if (!existing) return (await push('POST', '/Users', toUser(person))).id;
  const { title } = person;
  await push(
    'PATCH',
    `/Users/${existing.id}`,
    patch({ op: 'Replace', path: 'active', value: 'True' }, { op: 'Replace', path: 'title', value: title }),
  );
  return existing.id;
}

async function provisionGroup(push: Push, displayName: string): Promise<string> {
  const filter = encodeURIComponent(`displayName eq "${displayName}"`);
  const existing = await lookUp(push, `/Groups?excludedAttributes=members&filter=${filter}`);
  if (existing) return existing.id;
  const created = await push('POST', '/Groups', {
    schemas: [schemas.group, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: randomUUID(),
    displayName,
    meta: { resourceType: 'Group' },
  });
  return created.id;
}

const toUser = ({ givenName, familyName, email, title }: Person) => ({
  schemas: [schemas.user, schemas.enterpriseUser],
  externalId: randomUUID(),
  userName: email,
  active: true,
  addresses: null,
  displayName: `${givenName} ${familyName}`,
  emails: [{ primary: true, type: 'work', value: email }],
  meta: { resourceType: 'User' },
  name: { formatted: `${givenName} ${familyName}`, familyName, givenName },
  title,
  roles: [],
});
