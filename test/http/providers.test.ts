import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shareTestService, type ServiceResponse, type TestDirectory, type TestService } from '../support/service.ts';
import { createStoredResponses, readAllTraffic, type Rows, type Step, type Traffic } from '../support/traffic.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const all = await readAllTraffic();

it('covers every type of provider', () => {
  expect(new Set(all.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(10);
});

describe.each(all.map((traffic) => ({ ...traffic, title: `${traffic.provider}: ${traffic.traffic}` })))('$title', (traffic) => {
  it('gets the right responses, events and resources', async () => {
    const { seen, wanted } = await walk(traffic, { twice: false });
    expect(seen).toMatchObject(wanted);
  });

  it('makes no difference when each change is sent twice', async () => {
    const { seen, wanted } = await walk(traffic, { twice: true });
    expect(seen).toMatchObject(wanted);
  });
});

/** Ends at the first unexpected status, because later steps depend on it. */
async function walk({ type, headers, steps, rows }: Traffic, { twice }: { twice: boolean }) {
  const directory = await service.createDirectory({ type });
  const stored = createStoredResponses();
  const [seen, wanted]: [object[], object[]] = [[], []];
  for (const [index, step] of steps.entries()) {
    const place = `step ${index + 1}: ${step.request}`;
    const since = await lastSequence(directory);
    const response = await sendStep(directory, step, headers, stored);
    if (step.keep) stored.keep(step.keep, response.body);
    const mayRepeat = twice && /^(PUT|PATCH) /.test(step.request) && response.status < 300;
    const again = mayRepeat ? await sendStep(directory, step, headers, stored) : response;
    const { status, body } = response;
    const { lacks = [], ...filled } = stored.fillInAll(step);
    seen.push({
      place,
      status,
      body,
      isSameAgain: isDeepStrictEqual(briefly(again), briefly(response)),
      faults: faultsOf(response),
      tooMuch: lacks.filter((name) => Object.hasOwn(body, name)),
      events: await eventsSince(directory, since),
    });
    wanted.push({
      place,
      status: filled.status,
      ...(filled.response && { body: filled.response }),
      isSameAgain: true,
      faults: [],
      tooMuch: [],
      events: (filled.events ?? []).map(([name, data]) => ({ type: name, data })),
    });
    if (status !== step.status) return { seen, wanted };
  }
  const events = await eventsSince(directory, 0);
  seen.push({ rows: await readRows(directory), sequences: events.map(({ sequence }) => sequence) });
  wanted.push({ rows, sequences: events.map((_, index) => index + 1) });
  return { seen, wanted };
}

async function sendStep(
  directory: TestDirectory,
  step: Step,
  headers: Record<string, string>,
  stored: ReturnType<typeof createStoredResponses>,
) {
  const [method, path] = [step.request.split(' ', 1)[0]!, stored.fillIn(step.request.slice(step.request.indexOf(' ') + 1))];
  const given = stored.fillInAll(step.body);
  const body = step.echo === undefined ? given : { ...stored.get(step.echo), ...given };
  return directory.scim(method, path, body, { ...headers, ...step.headers });
}

/** A response without its dates. */
const briefly = ({ status, headers, body }: ServiceResponse) => ({
  status,
  etag: headers.get('etag'),
  location: headers.get('location'),
  body: body as unknown,
});

/** Expectations of every response. */
function faultsOf({ status, headers, body }: ServiceResponse): string[] {
  if (status === 204) return body === undefined ? [] : ['a body'];
  const isError = body.schemas?.[0] === 'urn:ietf:params:scim:api:messages:2.0:Error';
  const rules = {
    'content-type': headers.get('content-type') === 'application/scim+json; charset=utf-8',
    error: status < 400 ? !isError : isError && body.status === String(status) && typeof body.detail === 'string',
    location: status !== 201 || (headers.get('location') === body.meta.location && body.meta.location.endsWith(body.id)),
    etag: body.meta?.version === undefined || headers.get('etag') === body.meta.version,
  };
  return Object.entries(rules).flatMap(([name, isKept]) => (isKept ? [] : name));
}

async function lastSequence({ id }: TestDirectory): Promise<number> {
  return Number((await service.db('directories').where({ id }).first('last_sequence')).last_sequence);
}

async function eventsSince({ id }: TestDirectory, sequence: number): Promise<{ sequence: number; type: string; data: object }[]> {
  const events = await service.db('events').where({ directory_id: id }).where('sequence', '>', sequence).orderBy('sequence');
  return events.map((event) => ({ ...event, sequence: Number(event.sequence) }));
}

async function readRows({ id }: TestDirectory): Promise<Required<Rows>> {
  const inOrder = (table: string) => service.db(table).where({ directory_id: id });
  const [users, groups, members, pending] = await Promise.all([
    inOrder('users').orderBy('id'),
    inOrder('groups').orderBy('id'),
    inOrder('group_members').orderBy('position'),
    inOrder('pending_members').orderBy('position'),
  ]);
  const nameOf = new Map(users.map((user) => [user.id, user.user_name]));
  return {
    users,
    groups: groups.map((group) => ({
      ...group,
      members: members.filter((member) => member.group_id === group.id).map((member) => nameOf.get(member.member_id)),
      pending: pending.filter((member) => member.group_id === group.id).map(({ value }) => value),
    })),
  };
}
