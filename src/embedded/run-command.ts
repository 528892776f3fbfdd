import { spawn } from 'node:child_process';

export interface SpawnAs {
  uid?: number;
  gid?: number;
}

/** Runs a short command to its end. One that can't be started has the code `null`. */
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

/** What a program needs to be found and run, and nothing that configures Rollcall: its variables hold keys. */
const kept = ['PATH', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

/** The environment of an embedded server. */
export const serverEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
