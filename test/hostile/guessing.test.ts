import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ada, apiKey, request, startTestService, type TestDirectory, type TestService } from '../support/service.ts';

const guesses = 600;
const atOnce = 50;

let service: TestService;
let attacked: TestDirectory;
let otherTenant: TestDirectory;
beforeAll(async () => {
  service = await startTestService({}, { deliver: false });
  attacked = await service.createDirectory();
  otherTenant = await service.createDirectory({ tenant: 'other-tenant' });
});
afterAll(() => service.stop());

/** The flood, the attacked customer and the other tenant have the same source. */
async function flood(guess: (index: number) => ReturnType<typeof request>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < guesses) {
        next += 1;
        const { status } = await guess(next);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  return statuses;
}

it.each([
  [
    'secrets of one directory',
    (index: number) => request(`${service.baseUrl}/api/scim/v2.0/${attacked.id}/Users`, 'GET', undefined, bearer(index)),
  ],
  [
    'ids of directories',
    (index: number) => request(`${service.baseUrl}/api/scim/v2.0/${idOf(index)}/Users`, 'GET', undefined, bearer(index)),
  ],
  ['API keys', (index: number) => request(`${service.baseUrl}/api/v1/directory-sync/all`, 'GET', undefined, bearer(index))],
])(
  'hundreds of guesses of %s get 429, lock nobody out, and do not flood the log',
  async (_title, guess) => {
    const linesBefore = service.logs.filter(isLoud).length;
    let isOver = false;
    const flooding = flood(guess).finally(() => (isOver = true));
    const honest: number[] = [];
    while (!isOver) {
      honest.push((await attacked.scim('GET', '/Users?count=1')).status);
      honest.push(
        (await otherTenant.scim('POST', '/Users', { ...ada, userName: `ada-${honest.length}-${randomUUID()}@example.com` })).status,
      );
      honest.push((await service.api('GET', '/api/v1/directory-sync/all', undefined, { authorization: `Api-Key ${apiKey}` })).status);
    }
    const statuses = await flooding;
    expect(new Set(honest)).toEqual(new Set([200, 201]));
    // A source has 60 tokens, which refill at one per second.
    const [rejected, limited] = [401, 429].map((status) => statuses.get(status) ?? 0) as [number, number];
    expect(rejected + limited).toBe(guesses);
    expect(rejected).toBeLessThan(200);
    expect(service.logs.filter(isLoud).length - linesBefore - honest.length).toBeLessThan(300);
  },
  180_000,
);

const bearer = (index: number) => ({ authorization: `Bearer guess-number-${index}-of-a-longer-secret` });
const idOf = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
const isLoud = ({ level, msg }: Record<string, unknown>) =>
  Number(level) > 20 && (msg === 'request' || String(msg).startsWith('authentication failed'));
