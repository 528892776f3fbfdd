import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { acceptsConnections, findFreePort } from '../../src/embedded/free-port.ts';
import { until } from '../support/until.ts';
import { baseEnv, isOnThisMachine, startProgram } from './child-program.ts';
import { readBlocks } from './fenced-blocks.ts';

interface Language {
  /** The heading of its section. */
  heading: string;
  file: string;
  needs: string[];
  /** Runs once, before all tests. */
  build?: string[];
  run(port: number): string[];
}

const languages: Language[] = [
  { heading: 'Node', file: 'receiver.mjs', needs: ['node'], run: () => ['node', 'receiver.mjs'] },
  { heading: 'Python', file: 'receiver.py', needs: ['python3'], run: () => ['python3', 'receiver.py'] },
  { heading: 'Go', file: 'receiver.go', needs: ['go'], build: ['go', 'build', '-o', 'receiver', 'receiver.go'], run: () => ['./receiver'] },
  { heading: 'Ruby', file: 'config.ru', needs: ['ruby', 'rackup'], run: (port) => ['rackup', '--port', String(port)] },
  {
    heading: 'Java',
    file: 'Receiver.java',
    needs: ['java', 'javac'],
    build: ['javac', 'Receiver.java'],
    run: () => ['java', '-XX:TieredStopAtLevel=1', 'Receiver'],
  },
];

const isHere = ({ needs }: Language) => needs.every(isOnThisMachine);
export const receiversHere = languages.filter(isHere);
export const receiversMissing = languages.filter((language) => !isHere(language)).map(({ heading }) => heading);

export const programUnder = (heading: string) =>
  readBlocks('docs/guides/verifying-webhooks.md').findLast((block) => block.heading === heading)!.text;

/** Saves the program under the file name on the page, and compiles it if necessary. */
export function buildReceiver({ heading, file, build }: Language, folder: string): void {
  writeFileSync(join(folder, file), programUnder(heading));
  if (!build) return;
  const [command, ...args] = build;
  const { status, stderr } = spawnSync(command!, args, { cwd: folder, env: { ...baseEnv, GOTOOLCHAIN: 'local', GOFLAGS: '' } });
  expect({ status, said: stderr.toString() }).toMatchObject({ status: 0 });
}

/** Starts the program with variables that must make it fail. */
export async function startExpectingFailure({ run }: Language, folder: string, env: Record<string, string>) {
  const port = String(await findFreePort());
  const [command, ...args] = run(Number(port));
  const { status, stdout, stderr } = spawnSync(command!, args, { cwd: folder, env: { ...baseEnv, PORT: port, ...env }, timeout: 60_000 });
  return { status, said: `${stdout.toString()}${stderr.toString()}` };
}

export interface RunningReceiver extends AsyncDisposable {
  send(headers: Record<string, string>, body: string): Promise<number>;
  /** The bodies that it printed. */
  bodies(): string[];
}

export async function startReceiverProgram({ run }: Language, folder: string, secret: string): Promise<RunningReceiver> {
  const port = await findFreePort();
  const [command, ...args] = run(port);
  const program = startProgram(command!, args, { cwd: folder, env: { ROLLCALL_WEBHOOK_SECRET: secret, PORT: String(port) } });
  await until(async () => (await acceptsConnections(port)) || (program.isRunning() ? false : Promise.reject(new Error(program.output()))));
  return {
    async send(headers, body) {
      const { status } = await fetch(`http://127.0.0.1:${port}/hook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      return status;
    },
    bodies: () => [...program.output().matchAll(/^received (.*)$/gm)].map(([, body]) => body!),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
