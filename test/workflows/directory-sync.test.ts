import { beforeEach, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useGoogleService } from '../support/google-service.ts';
import { changed, createPulledDirectory } from '../support/pulled-directories.ts';
import type { TestService } from '../support/service.ts';

let google: FakeGoogle;
let service: TestService;
let afterBegin: (directoryId: string, runId: string) => unknown;
useGoogleService(
  (started) => ({ google, service } = started),
  {},
  {
    replaceActivityDeps: (deps) => ({
      ...deps,
      syncs: {
        ...deps.syncs,
        async begin(request) {
          const runId = await deps.syncs.begin(request);
          if (runId !== undefined) await afterBegin(request.directoryId, runId);
          return runId;
        },
      },
    }),
  },
);
beforeEach(() => {
  afterBegin = () => undefined;
  google.preset({});
  const person = google.addUser({ primaryEmail: 'ada@hidden.example', name: { givenName: 'Adahidden', familyName: 'Lovehidden' } });
  google.addMember(google.addGroup({ name: 'Teamhidden' }).id, { id: person.id, type: 'USER' });
});

it('cancels a run when the cancellation arrives before the run is known', async () => {
  const directory = await createPulledDirectory(service, google);
  const responses: number[] = [];
  afterBegin = async (_, runId) => responses.push((await directory.cancel(runId)).status);
  const run = await directory.sync();
  expect([responses, run.state, google.requests.filter(directory.isRequestFor('users'))]).toEqual([[202], 'canceled', []]);
});

it("leaves nothing of a person and no token in clear in Temporal's store, also when Google fails", async () => {
  const directory = await createPulledDirectory(service, google);
  google.failNext(directory.isRequestFor('members'), { status: 500, body: { error: { message: 'about ada@hidden.example' } } });
  google.failNext(directory.isRequestFor('groups'), 'cut');
  expect((await directory.sync()).changed).toEqual(changed({ users: [1, 0, 0], groups: [1, 0, 0], members: [1, 0] }));
  const workflowId = `sync:${directory.id}`;
  await service.client.workflow.getHandle(workflowId).result();
  const raw = new Client({ connection: service.client.connection, namespace: service.client.options.namespace });
  const { events } = await raw.workflow.getHandle(workflowId).fetchHistory();
  const text = [JSON.stringify(events), ...bytesIn(events)].join('\n');
  expect(text).toContain('binary/rollcall-sealed');
  expect(JSON.stringify(service.logs)).toMatch(/Google \S+ \S+ 500/);
  expect(text).not.toMatch(/hidden|ya29|1\/\/fake/i);
  expect(JSON.stringify(service.logs)).not.toMatch(/hidden|ya29|1\/\/fake/i);
});

/** All byte arrays in the history as text: payloads are bytes. */
function bytesIn(value: unknown): string[] {
  if (value instanceof Uint8Array || Buffer.isBuffer(value)) return [Buffer.from(value as Uint8Array).toString()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(bytesIn);
}
