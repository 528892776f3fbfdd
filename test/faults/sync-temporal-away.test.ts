import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { changed, createPulledDirectory, googleEnv } from '../support/pulled-directories.ts';
import { startOnOwnTemporal, type OnOwnTemporal } from '../support/own-temporal.ts';
import { until } from '../support/until.ts';
import { outages } from '../support/outages.ts';

const testTimeoutMs = 240_000;

let google: FakeGoogle;
let own: OnOwnTemporal;
beforeAll(async () => {
  google = await startFakeGoogle();
  own = await startOnOwnTemporal(googleEnv(google));
}, testTimeoutMs);
afterAll(async () => {
  await own?.stop();
  await google?.stop();
});

it.each(outages({ server: () => own.temporal(), startAgain: () => own.startTemporalAgain() }))(
  'responds with 503 to requests for a sync or a cancellation when Temporal $how, and continues afterwards',
  async ({ takeDown }) => {
    google.preset({});
    google.addUser({ primaryEmail: 'ada@acme.example' });
    const { installation } = own;
    const [idle, busy] = await Promise.all([createPulledDirectory(installation, google), createPulledDirectory(installation, google)]);
    const underWay = newId();
    await installation
      .db('sync_runs')
      .insert({ id: underWay, directory_id: busy.id, state: 'running', trigger: 'request', workflow_run: 'x' });

    const bringBack = await takeDown();
    try {
      for (const ask of [
        () => idle.requestSync(),
        () => busy.cancel(underWay),
        () => installation.api('POST', '/api/v1/dsync/cron/sync-google'),
      ]) {
        const askedMs = performance.now();
        const { status, body, headers } = await ask();
        expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'unavailable', expect.any(String)]);
        expect(performance.now() - askedMs).toBeLessThan(20_000);
      }
    } finally {
      await bringBack();
    }
    const [{ id: runId }] = await idle.runs();
    const again = await until(async () => {
      const response = await idle.requestSync();
      return response.status !== 503 && response;
    });
    expect([again.status, again.body.data.id]).toEqual([200, runId]);
    const run = await idle.untilEnded(runId);
    expect([run.state, run.changed, (await idle.runs()).length]).toEqual(['succeeded', changed({ users: [1, 0, 0] }), 1]);
    expect(await idle.describeNewEvents()).toEqual(['user.created ada@acme.example']);
    expect((await busy.cancel(underWay)).body.data.state).toBe('canceled');
  },
  testTimeoutMs,
);
