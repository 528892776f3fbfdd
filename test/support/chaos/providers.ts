import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceResponse, TestDirectory } from '../service.ts';
import type { Random } from './random.ts';

/** Acknowledged writes by directory. */
export interface Acknowledged {
  writes: number;
  users: Map<string, string>;
  /** The newest title of each user, by id. */
  titles: Map<string, string>;
  members: { groupId: string; userId: string }[];
  /** Users with an earlier title that may still be applied, because its request got no response. */
  unsure: Set<string>;
}

export interface Providers {
  acknowledged: Map<string, Acknowledged>;
  responses: Record<string, number>;
  /** Responses that an identity provider must never get because of our faults. */
  wrong: string[];
  /** Each continues its current request until it gets a response. */
  stop(): Promise<void>;
}

export interface ProvidersOptions {
  directories: TestDirectory[];
  writers: number;
  random: (writer: number) => Random;
  /** How far the receiver of a directory may be behind: unlimited pushes would only measure the machine. */
  mayWrite: (directory: TestDirectory, writes: number) => boolean;
  signal: AbortSignal;
}

const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const againMs = 50;
/** Around the time at which a delivery without events becomes idle, when a wake could be lost. */
const pauseMs = [350, 900] as const;
const paceMs = [60, 240] as const;

/**
 * Identity providers that create users, change them and add them to groups. Those of every other directory write concurrently and then
 * pause, so that its delivery becomes idle again and again. A request without a response is sent again until it gets one.
 */
export function startProviders({ directories, writers, random, mayWrite, signal }: ProvidersOptions): Providers {
  const acknowledged = new Map(directories.map(({ id }) => [id, nothingYet()]));
  const responses: Record<string, number> = {};
  const wrong: string[] = [];
  let stopping = false;
  const pushers = Array.from({ length: writers }, (_, writer) => createPusher(directories[writer % directories.length]!, writer));
  const pushing = Promise.all(
    directories.map((directory, index) => {
      const own = pushers.filter((pusher) => pusher.directory === directory);
      const pace = random(writers + index);
      if (index % 2 === 1)
        return pushInTurn(
          directory,
          () => Promise.all(own.map(({ push }) => push())),
          () => pace.between(...pauseMs),
        );
      return Promise.all(own.map(({ push }) => pushInTurn(directory, push, () => pace.between(...paceMs))));
    }),
  );
  pushing.catch(() => undefined);
  return {
    acknowledged,
    responses,
    wrong,
    async stop() {
      stopping = true;
      await pushing;
    },
  };

  async function pushInTurn(directory: TestDirectory, push: () => Promise<unknown>, waitMs: () => number) {
    while (!stopping) {
      if (mayWrite(directory, acknowledged.get(directory.id)!.writes)) await push();
      await delay(waitMs(), undefined, { signal });
    }
  }

  function createPusher(directory: TestDirectory, writer: number) {
    const { between, weigh, pick } = random(writer);
    const mine = acknowledged.get(directory.id)!;
    const userIds: string[] = [];
    let groupId: string | undefined;
    let count = 0;

    return {
      directory,
      async push() {
        count += 1;
        const what = userIds.length === 0 ? 'user' : groupId === undefined ? 'group' : weigh({ user: 5, title: 4, member: 3 });
        if (what === 'user') await createUser(`writer-${writer}-user-${count}@example.com`);
        else if (what === 'group') groupId = await create('Groups', 'displayName', `Group of writer ${writer}`);
        else if (what === 'title') await changeTitle(pick(userIds));
        else await addMember(groupId!, pick(userIds));
        mine.writes += 1;
        await delay(between(0, 20));
      },
    };

    async function createUser(userName: string) {
      const id = await create('Users', 'userName', userName);
      mine.users.set(userName, id);
      userIds.push(id);
    }

    async function changeTitle(userId: string) {
      const title = `Title ${count}`;
      const value = { schemas: [patchOp], Operations: [{ op: 'replace', value: { title } }] };
      const { tries } = await persist('PATCH', `/Users/${userId}`, value, [200]);
      mine.titles.set(userId, title);
      if (tries > 1) mine.unsure.add(userId);
    }

    async function addMember(group: string, userId: string) {
      const value = { schemas: [patchOp], Operations: [{ op: 'add', path: 'members', value: [{ value: userId }] }] };
      await persist('PATCH', `/Groups/${group}`, value, [200, 204]);
      mine.members.push({ groupId: group, userId });
    }

    /** A user that was sent before without a response may exist. Then it is looked up. */
    async function create(type: 'Users' | 'Groups', naming: string, name: string): Promise<string> {
      const { response } = await persist('POST', `/${type}`, { [naming]: name }, [201], 409);
      if (response.status === 201) return response.body.id as string;
      const filter = encodeURIComponent(`${naming} eq "${name}"`);
      const found = await persist('GET', `/${type}?filter=${filter}`, undefined, [200]);
      const id = found.response.body.Resources[0]?.id as string | undefined;
      if (id === undefined) wrong.push(`${name} is said to exist, and is not found`);
      return id ?? '';
    }

    async function persist(method: string, path: string, body: unknown, wanted: number[], wantedAgain?: number) {
      for (let tries = 1; ; tries += 1) {
        const response = await directory.scim(method, path, body).catch(() => undefined);
        const status = response ? String(response.status) : 'dropped';
        responses[status] = (responses[status] ?? 0) + 1;
        if (response && (wanted.includes(response.status) || (tries > 1 && response.status === wantedAgain))) return { response, tries };
        if (response && !isDown(response)) wrong.push(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
        await delay(againMs, undefined, { signal });
      }
    }
  }
}

const nothingYet = (): Acknowledged => ({ writes: 0, users: new Map(), titles: new Map(), members: [], unsure: new Set() });
const isDown = ({ status, headers, body }: ServiceResponse) =>
  status === 503 && Number(headers.get('retry-after')) > 0 && body.status === '503';
