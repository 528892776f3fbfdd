import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';

it('promtool accepts the alert rules', async () => {
  const { stdout } = await promisify(execFile)(process.env['PROMTOOL']!, [
    'check',
    'rules',
    join(packageRoot, 'deploy/prometheus-alerts.yml'),
  ]);
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
});
