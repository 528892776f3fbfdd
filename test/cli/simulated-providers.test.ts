import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { entra } from '../../src/cli/simulate/entra.ts';
import { okta } from '../../src/cli/simulate/okta.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { PushError, type PushedRequest, createPush, listPeople } from '../../src/cli/simulate/push.ts';

let service: TestService;

beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

describe.each([okta, entra])('a simulated $name', (provider) => {
  let directory: TestDirectory;
  let requests: PushedRequest[];

  const simulate = async (secret = directory.secret) => {
    requests = [];
    await provider.run({
      push: createPush({
        endpoint: `${service.baseUrl}/api/scim/v2.0/${directory.id}`,
        secret,
        headers: provider.headers,
        onResponse: (request) => requests.push(request),
      }),
      announce: () => undefined,
      people: listPeople(3),
      groupName: 'Engineering',
    });
  };
  const listEvents = async () => {
    const { body } = await service.api('GET', `/api/v1/events?directory_id=${directory.id}&limit=100`);
    return body.data.map(({ event }: { event: string }) => event) as string[];
  };

  beforeAll(async () => {
    directory = await service.createDirectory({ type: provider.directoryType });
  });

  test('assigns people, pushes a group, updates one person and deactivates another', async () => {
    await simulate();
    expect(requests.filter(({ status }) => status >= 300)).toEqual([]);
    const events = await listEvents();
    expect(events.filter((event) => event === 'user.created')).toHaveLength(3);
    expect(events.filter((event) => event === 'group.user_added')).toHaveLength(3);
    expect(events.slice(-3)).toEqual(['user.updated', 'group.user_removed', 'user.updated']);
    const { body } = await service.api('GET', `/api/v1/directory-sync/users?directory_id=${directory.id}`);
    expect(body.data.map(({ email, active }: { email: string; active: boolean }) => [email, active]).sort()).toEqual([
      ['ada.lovelace@example.com', true],
      ['alan.turing@example.com', false],
      ['grace.hopper@example.com', true],
    ]);
  });

  test('finds the people and the group of the first run in a second one', async () => {
    await simulate();
    const events = await listEvents();
    expect(events.filter((event) => event === 'user.created')).toHaveLength(3);
    expect(events.filter((event) => event === 'group.created')).toHaveLength(1);
  });

  test('stops at the first request that fails', async () => {
    await expect(simulate('wrong')).rejects.toThrow(PushError);
    expect(requests.map(({ status }) => status)).toEqual([401]);
  });
});

test('people have different addresses, also beyond the first eight', () => {
  const people = listPeople(20);
  expect(new Set(people.map(({ email }) => email)).size).toBe(20);
});
