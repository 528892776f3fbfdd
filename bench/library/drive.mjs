// Calls a library's `requests.handle` for the parent process, which chooses the number of calls and how many are concurrent. Both libraries
// have the same API.
const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
const patch = (active) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', value: { active } }],
});
let created = 0;

const makeUser = () => {
  created += 1;
  const userName = `user-${created}@example.com`;
  return {
    schemas,
    userName,
    externalId: `external-${created}`,
    name: { givenName: 'Ada', familyName: `Lovelace ${created}` },
    emails: [{ value: userName, primary: true, type: 'work' }],
    active: true,
  };
};

export function drive({ directories, requests }) {
  const events = { count: 0 };
  const callback = async () => void (events.count += 1);
  const users = [];
  let target;
  const handle = async (request) => {
    const { status, data } = await requests.handle(
      { directoryId: target.id, apiSecret: target.scim.secret, resourceType: 'users', query: {}, ...request },
      callback,
    );
    if (status >= 300) throw new Error(`${request.method} responded with ${status}: ${JSON.stringify(data)}`);
    return data;
  };
  const operations = {
    async create() {
      const user = makeUser();
      const { id } = await handle({ method: 'POST', body: user });
      users.push({ id, userName: user.userName, active: true });
    },
    /** Each writer has its own users, so that no call waits for another one's row. */
    async update(call) {
      const user = users[call % users.length];
      user.active = !user.active;
      await handle({ method: 'PATCH', resourceId: user.id, body: patch(user.active) });
    },
    async find(call) {
      const { userName } = users[(call * 7919) % users.length];
      const { totalResults } = await handle({ method: 'GET', query: { filter: `userName eq "${userName}"`, startIndex: 1, count: 1 } });
      if (totalResults !== 1) throw new Error(`${userName} was found ${totalResults} times`);
    },
    async read(call) {
      await handle({ method: 'GET', resourceId: users[(call * 7919) % users.length].id });
    },
  };

  process.on('message', async ({ operation, calls, concurrency }) => {
    try {
      target ??= (await directories.create({ tenant: 'bench', product: 'bench', type: 'okta-scim-v2' })).data;
      process.send(await run(operations[operation], calls, concurrency));
    } catch (error) {
      process.send({ failure: error.stack });
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send('ready');

  async function run(operation, calls, concurrency) {
    const times = [];
    const [startedMs, eventsBefore, cpuBefore] = [performance.now(), events.count, process.cpuUsage()];
    let next = 0;
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (next < calls) {
          const call = next++;
          const beganMs = performance.now();
          await operation(call);
          times.push(performance.now() - beganMs);
        }
      }),
    );
    const seconds = (performance.now() - startedMs) / 1000;
    const { user, system } = process.cpuUsage(cpuBefore);
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
    return {
      perSecond: calls / seconds,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      cpuMs: (user + system) / 1000 / calls,
      events: events.count - eventsBefore,
    };
  }
}
