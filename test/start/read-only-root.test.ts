import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { untilDelivered } from '../support/deliveries.ts';
import { createInstallation } from '../support/installation.ts';
import { startReceiver } from '../support/receiver.ts';
import { ada } from '../support/service.ts';

const asReadOnly = 'mount --rbind / / && mount -o remount,bind,ro / && exec chroot / "$@"';
/** In a mount namespace (Linux only) in which the root and the temporary folder are read-only. */
const prefix = process.platform === 'linux' ? ['unshare', '-rm', 'sh', '-c', asReadOnly, 'sh'] : [];

function findMessage(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

it('receives and delivers on a read-only root file system', async () => {
  const write = () => execFileSync(prefix[0]!, [...prefix.slice(1), 'touch', '/tmp/written'], { stdio: 'pipe' });
  expect(prefix.length > 0 ? findMessage(write) : 'Read-only file system').toContain('Read-only file system');
  const receiver = await startReceiver();
  const installation = await createInstallation();
  const api = await installation.start({ command: ['api'], prefix });
  const worker = await installation.start({ command: ['worker'], env: { PORT: '0' }, prefix });
  const directory = await installation.createDirectory({ webhook_url: receiver.url });
  expect((await directory.scim('POST', '/Users', ada)).status).toBe(201);
  expect(await untilDelivered(installation.db, directory)).toBe(1);
  expect(receiver.received).toHaveLength(1);
  await Promise.all([api.kill(), worker.kill()]);
  await installation.remove();
  await receiver.close();
}, 120_000);
