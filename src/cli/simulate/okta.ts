import { fullName, lookUp, patch, schemas, type Person, type Push, type SimulatedProvider } from './push.ts';

/** Okta with an application from its catalog: it looks up before it creates, updates with PUT, deactivates with PATCH, and never deletes. */
export const okta: SimulatedProvider = {
  name: 'Okta',
  directoryType: 'okta-scim-v2',
  headers: { 'content-type': 'application/scim+json; charset=utf-8', 'user-agent': 'Okta SCIM Client 1.0.0' },

  async run({ push, announce, people, groupName }) {
    announce('Test the connection');
    await push('GET', '/Users?startIndex=1&count=1');
    await push('GET', '/Groups?startIndex=1&count=100');

    const ids = new Map<Person, string>();
    for (const person of people) {
      announce(`Assign ${fullName(person)}`);
      ids.set(person, await assign(push, person));
    }
    const memberOf = (person: Person) => ({ value: ids.get(person)!, display: person.email });

    announce(`Push the group ${groupName}`);
    const groupId = await pushGroup(push, groupName);
    await push('PATCH', `/Groups/${groupId}`, patch({ op: 'replace', path: 'members', value: people.map(memberOf) }));

    const [promoted] = people as [Person];
    announce(`Change the title of ${fullName(promoted)}`);
    await update(push, ids.get(promoted)!, { title: `Senior ${promoted.title}` });

    const leaving = people.at(-1)!;
    announce(`Remove ${fullName(leaving)} from ${groupName}`);
    await push(
      'PATCH',
      `/Groups/${groupId}`,
      // Okta repeats the group's ID and name with each change of its members.
      patch(
        { op: 'replace', value: { id: groupId, displayName: groupName } },
        { op: 'remove', path: `members[value eq "${ids.get(leaving)}"]` },
      ),
    );
    announce(`Deactivate ${fullName(leaving)}`);
    await push('PATCH', `/Users/${ids.get(leaving)}`, patch({ op: 'replace', value: { active: false } }));
  },
};

async function assign(push: Push, person: Person): Promise<string> {
  const filter = encodeURIComponent(`userName eq "${person.email}"`);
  const existing = await lookUp(push, `/Users?filter=${filter}&startIndex=1&count=100`);
  if (existing) {
    await update(push, existing.id, { ...toUser(person), active: true });
    return existing.id;
  }
  const created = await push('POST', '/Users', { ...toUser(person), groups: [], active: true });
  return created.id;
}

/** Okta reads the user and sends all of it back, with what changed. */
async function update(push: Push, id: string, change: object): Promise<void> {
  const user = await push('GET', `/Users/${id}`);
  await push('PUT', `/Users/${id}`, { ...user, ...change });
}

async function pushGroup(push: Push, displayName: string): Promise<string> {
  const filter = encodeURIComponent(`displayName eq "${displayName}"`);
  const existing = await lookUp(push, `/Groups?filter=${filter}&startIndex=1&count=100`);
  return (existing ?? (await push('POST', '/Groups', { schemas: [schemas.group], displayName, members: [] }))).id;
}

const toUser = ({ givenName, familyName, email, title }: Person) => ({
  schemas: [schemas.user],
  userName: email,
  name: { givenName, familyName },
  emails: [{ primary: true, value: email, type: 'work' }],
  displayName: `${givenName} ${familyName}`,
  title,
  locale: 'en-US',
  externalId: `00u-${email}`,
});
