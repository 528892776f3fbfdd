import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { packageRoot } from '../../src/paths.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { cloneDatabase } from './database.ts';
import { request, type ServiceResponse } from './service.ts';
import { until } from './until.ts';

export interface Example extends AsyncDisposable {
  baseUrl: string;
  output(): string;
  /** A request to the directory of the example. */
  scim(method: string, path: string, body?: unknown, secret?: string): Promise<ServiceResponse>;
  /** Ends it like Ctrl-C, and returns its exit code. */
  stop(): Promise<number | null>;
}

export interface ExampleOptions {
  /** Printed when it is ready. */
  readyWhen: RegExp;
  /** A program that creates the directory, if the example does not. */
  createDirectory?: string;
}

/** Runs a program of `examples` as a process, on a new database. */
export async function startExample(program: string, { readyWhen, createDirectory }: ExampleOptions): Promise<Example> {
  const [database, port] = await Promise.all([cloneDatabase(), findFreePort()]);
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    EXTERNAL_URL: baseUrl,
    PORT: String(port),
  };
  const making = createDirectory === undefined ? undefined : start(createDirectory, env);
  await making?.exited;
  const running = start(program, env);
  const dispose = async () => {
    running.child.kill('SIGKILL');
    await running.exited;
    await database.drop();
  };
  try {
    await until(() => running.child.exitCode !== null || readyWhen.test(running.output()), { timeoutMs: 60_000 });
    const output = `${making?.output() ?? ''}${running.output()}`;
    const address = find(/SCIM address +(\S+)/, output);
    const secret = find(/SCIM secret +(\S+)/, output);
    return {
      baseUrl,
      output: running.output,
      scim(method, path, body, given = secret) {
        const [base, query] = address.split('/?');
        const mark = path.includes('?') ? '&' : '?';
        return request(`${base}${path}${query === undefined ? '' : `${mark}${query}`}`, method, body, {
          authorization: `Bearer ${given}`,
          ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        });
      },
      stop() {
        running.child.kill('SIGTERM');
        return running.exited;
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function start(program: string, env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [join(packageRoot, program)], {
    cwd: packageRoot,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, exited, output: () => output };
}

function find(pattern: RegExp, text: string): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`The example did not say ${pattern.source}:\n${text}`);
  return found;
}
