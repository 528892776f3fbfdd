import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ScriptError } from '../prepare/run.mjs';

/** Starts a Rollcall for one run: on a free port, with its own servers and data folder, independent of `.env` and the environment. */
export async function startService() {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-conformance-'));
  const apiKey = randomBytes(24).toString('base64url');
  const { PATH, HOME, TEMPORAL_BINARY } = process.env;
  const child = spawn(process.execPath, [resolve('dist/src/main.js'), 'start'], {
    cwd: folder,
    env: { PATH, HOME, ...(TEMPORAL_BINARY && { TEMPORAL_BINARY }), PORT: '0', API_KEYS: apiKey, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C must not stop it: it is stopped after the tester.
    detached: true,
  });
  const closed = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await closed;
    rmSync(folder, { recursive: true, force: true });
  };
  const output = { text: '' };
  const baseUrl = await Promise.race([readAddress(child, output), closed]);
  if (typeof baseUrl === 'string') return { ...createClient({ baseUrl, apiKey }), output, stop };
  rmSync(folder, { recursive: true, force: true });
  throw new ScriptError(`Rollcall did not start:\n${output.text}`);
}

function readAddress(child, output) {
  return new Promise((find) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output.text += text;
        const [, address] = /Rollcall is ready at (\S+)/.exec(output.text) ?? [];
        if (address) find(address);
      });
  });
}

const createClient = ({ baseUrl, apiKey }) => ({
  async createDirectory() {
    const response = await fetch(`${baseUrl}/api/v1/directory-sync`, {
      method: 'POST',
      headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tenant: 'conformance', product: 'scim2-tester' }),
    });
    const { data, error } = await response.json();
    if (error) throw new ScriptError(`Rollcall did not create a directory: ${error.message}`);
    return { url: `${data.scim.endpoint}/`, secret: data.scim.secret };
  },
});
