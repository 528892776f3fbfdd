import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { startTestLibrary } from '../support/library.ts';
import { sequencesOf } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { useReceiver } from '../support/use-receiver.ts';

const receiver = useReceiver();
const events = 30;

it('delivers the rest in order when the application that delivers is killed, from another one that runs', async () => {
  const library = await startTestLibrary({ settings: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_TIMEOUT_MS: '30000' } });
  const { databaseUrl, encryptionKeys, externalUrl, settings } = library.options;
  const startChild = async () => {
    const child = spawn(process.execPath, [join(packageRoot, 'test/support/deliverer.mjs')], {
      env: { ...process.env, OPTIONS: JSON.stringify({ databaseUrl, encryptionKeys, externalUrl, settings }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return child;
  };
  const kill = async (child: Awaited<ReturnType<typeof startChild>>) => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  };
  const directory = await library.createDirectory({ webhook_url: receiver.url });
  // The tenth event gets no response, so that the process is killed while it sends.
  receiver.respond = (response, _request, count) => void (count === 10 || response.end());
  for (let index = 0; index < events; index += 1) await directory.handle('POST', 'users', { body: { userName: `user-${index}` } });
  const first = await startChild();
  await until(() => receiver.received.length === 10);
  const second = await startChild();
  try {
    await kill(first);
    await until(() => receiver.received.length > events);
    const all = Array.from({ length: events }, (_, index) => index + 1);
    expect(sequencesOf(receiver.received)).toEqual([...all.slice(0, 10), ...all.slice(9)]);
    expect(receiver.received[10]!.headers['webhook-id']).toBe(receiver.received[9]!.headers['webhook-id']);
  } finally {
    await kill(second);
    await library.stop();
  }
}, 120_000);
