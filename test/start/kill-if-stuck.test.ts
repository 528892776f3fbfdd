import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';

const killIfStuck = join(packageRoot, 'dist/src/cli/service/kill-if-stuck.js');

it('ends a process whose event loop is blocked while it stops, and logs it', async () => {
  const program = `const { killIfStuck } = await import(${JSON.stringify(killIfStuck)}); killIfStuck(500); for (;;);`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { timeout: 30_000, killSignal: 'SIGTERM' });
  await expect(run).rejects.toMatchObject({ signal: 'SIGKILL', stderr: expect.stringContaining('the process did not stop within 0.5 s') });
});
