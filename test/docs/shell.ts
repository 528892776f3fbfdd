import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { startProgram } from './child-program.ts';

interface Ran {
  output: string;
  /** How many commands failed. curl fails with a status of 400 or more. */
  failures: number;
}

export interface Shell extends AsyncDisposable {
  run(text: string): Promise<Ran>;
}

interface ShellOptions {
  cwd: string;
  /** Where the test puts its own files. */
  home?: string;
  env: Record<string, string>;
}

/** One terminal, into which blocks are pasted one after the other. */
export function startShell({ cwd, home = cwd, env }: ShellOptions): Shell {
  writeFileSync(join(home, '.curlrc'), 'fail-with-body\n');
  const program = startProgram('bash', ['--norc', '-s'], { cwd, env: { ...env, CURL_HOME: home } });
  program.child.stdin.write(`set -o pipefail; failures=0; trap 'failures=$((failures + 1))' ERR\n`);
  return {
    async run(text) {
      const mark = randomBytes(8).toString('hex');
      const before = program.output().length;
      program.child.stdin.write(`${text}\nprintf '\\n${mark} %s\\n' "$failures"; failures=0\n`);
      const [, output, failures] = await until(
        () => {
          if (!program.isRunning()) throw new Error(`The shell ended: ${program.output()}`);
          return new RegExp(`^([^]*)\\n${mark} (\\d+)\\n`).exec(program.output().slice(before)) ?? false;
        },
        { timeoutMs: 60_000 },
      );
      return { output: output!, failures: Number(failures) };
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
