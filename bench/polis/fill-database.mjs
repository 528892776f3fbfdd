// Fills a database through Polis itself, and prints what Polis then shows, for tests of the import. QUEUES_EVENTS leaves events in its queue.
import jackson from '@boxyhq/saml-jackson';

const { DATABASE_URL, DB_ENCRYPTION_KEY, QUEUES_EVENTS, WEBHOOK_URL } = process.env;
const silent = () => undefined;
const { directorySyncController, setupLinkController, close } = await jackson.controllers({
  externalUrl: 'http://127.0.0.1:5225',
  samlPath: '/api/oauth/saml',
  scimPath: '/api/scim/v2.0',
  db: {
    engine: 'sql',
    type: 'postgres',
    url: DATABASE_URL,
    pageLimit: 1000,
    ...(DB_ENCRYPTION_KEY && { encryptionKey: DB_ENCRYPTION_KEY }),
  },
  noAnalytics: true,
  dsync: { webhookBatchSize: 50 },
  logger: { info: silent, warn: silent, error: console.error },
});
const { directories, requests, users, groups, events, google } = directorySyncController;
const callback = QUEUES_EVENTS ? events.callback : async () => undefined;

async function create(fields) {
  const { data, error } = await directories.create({ tenant: 'acme', product: 'crm', ...fields });
  if (error) throw new Error(error.message);
  const handle = async (method, resourceType, body, resourceId) => {
    const response = await requests.handle(
      { method, directoryId: data.id, resourceType, resourceId, apiSecret: data.scim.secret, query: {}, body },
      callback,
    );
    if (response.status >= 300) throw new Error(`${method} ${resourceType}: ${response.status} ${JSON.stringify(response.data)}`);
    return response.data;
  };
  return { ...data, handle };
}

const patch = (...Operations) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });
const makeUser = (name, more = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: name,
  name: { givenName: 'Ada', familyName: name },
  emails: [{ value: `${name}@example.com`, primary: true, type: 'work' }],
  active: true,
  ...more,
});

const okta = await create({ webhook_url: WEBHOOK_URL, webhook_secret: 'the old webhook secret', name: 'Okta of Acme' });
await directories.update(okta.id, { log_webhook_events: true });
const ada = await okta.handle('POST', 'Users', makeUser('ada', { password: 'secret', externalId: 'e-1' }));
const two = [{ value: 'first@example.com' }, { value: 'primary@example.com', primary: true }];
const grace = await okta.handle('POST', 'Users', makeUser('grace', { emails: two, roles: 'admin,dev' }));
const alan = await okta.handle(
  'POST',
  'Users',
  makeUser('alan', { roles: [{ value: 'x', primary: 'True' }], entitlements: { value: 'e' } }),
);
await okta.handle('PUT', 'Users', makeUser('alan-renamed', { active: false }), alan.id);
await okta.handle(
  'PATCH',
  'Users',
  patch({ op: 'replace', path: 'name.givenName', value: 'Grace' }, { op: 'Replace', path: 'active', value: 'False' }),
  grace.id,
);
await okta.handle('PATCH', 'Users', patch({ op: 'add', path: 'emails[type eq "home"].value', value: 'home@example.com' }), ada.id);
const gone = await okta.handle('POST', 'Users', makeUser('gone'));
const team = await okta.handle('POST', 'Groups', { displayName: 'Team', externalId: 'g-1', members: [] });
const nested = await okta.handle('POST', 'Groups', { displayName: 'Nested' });
const members = [ada, grace, alan, gone].map(({ id }) => ({ value: id }));
await okta.handle('PATCH', 'Groups', patch({ op: 'add', path: 'members', value: members }), team.id);
await okta.handle('PATCH', 'Groups', patch({ op: 'add', path: 'members', value: [{ value: team.id }] }), nested.id);
await okta.handle('PATCH', 'Groups', patch({ op: 'replace', path: 'displayName', value: 'Renamed' }), nested.id);
await okta.handle('DELETE', 'Users', undefined, gone.id);

const azure = await create({ type: 'azure-scim-v2' });
await azure.handle('POST', 'Users', makeUser('ada'));
await directories.update(azure.id, { deactivated: true });
const pulled = await create({ tenant: 'beta', type: 'google' });
await google.setToken({ directoryId: pulled.id, accessToken: 'access', refreshToken: 'refresh' });

const setupLink = await setupLinkController.create({
  tenant: 'acme',
  product: 'crm',
  service: 'dsync',
  webhook_url: WEBHOOK_URL,
  webhook_secret: 'for the link',
});

const shown = [];
for (const { id, tenant, product } of [okta, azure, pulled]) {
  const { data: directory } = await directories.get(id);
  const ofDirectory = (list) => list.setTenantAndProduct(tenant, product).getAll({ directoryId: id });
  const { data: itsUsers } = await ofDirectory(users);
  const { data: itsGroups } = await ofDirectory(groups);
  const memberships = [];
  for (const group of itsGroups)
    for (const { user_id } of (await groups.setTenantAndProduct(tenant, product).getGroupMembers({ groupId: group.id })).data ?? [])
      memberships.push([group.id, user_id]);
  shown.push({ directory, users: itsUsers, groups: itsGroups, memberships, setupLink });
}
await close();
process.stdout.write(JSON.stringify(shown), () => process.exit(0));
