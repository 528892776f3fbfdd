import { spawn } from 'node:child_process';

export interface SpawnAs {
  uid?: number;
  gid?: number;
}

/** Runs a short command and waits for its end. If it cannot be started, `code` is null. */
export function runCommand([command, ...args]: string[], spawnAs: SpawnAs = {}): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command!, args, { ...spawnAs, env: serverEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    const collect = (chunk: Buffer) => void (output += chunk.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** What a program needs to run, without Rollcall's own variables: they contain keys. */
const kept = ['PATH', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

/** The environment for an embedded server. */
export const serverEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
