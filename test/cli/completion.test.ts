import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { directoryTypes } from '../../src/directory/directory.ts';
import { runRollcall } from './run-rollcall.ts';

let folder: string;
let script: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-completion-'));
  script = join(folder, 'completion.bash');
  writeFileSync(join(folder, 'a-key'), '');
  writeFileSync(script, (await runRollcall(['completion', 'bash'])).stdout);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers behind these words, the last of which is being typed. */
function complete(...words: string[]): string[] {
  const typed = ['rollcall', ...words].map((word) => `'${word}'`).join(' ');
  const asking = `source ${script}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _rollcall; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', asking], { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('in bash', () => {
  it('completes commands, and those of a group', () => {
    expect(complete('')).toEqual(expect.arrayContaining(['start', 'directories', 'events', 'doctor', 'help']));
    expect(complete('dir')).toEqual(['directories']);
    expect(complete('directories', '')).toEqual(['create', 'list', 'show', 'update', 'delete', 'rotate-secret', 'requests']);
  });

  it('completes the options of a command, and the words that they take', () => {
    expect(complete('directories', 'create', '--te')).toEqual(['--tenant']);
    expect(complete('directories', 'create', '--tenant', 'acme', '--type', '')).toEqual([...directoryTypes]);
    expect(complete('directories', 'create', '--type', '=', 'ok')).toEqual(['okta-scim-v2']);
    expect(complete('deliveries', 'list', '--status', 'ex')).toEqual(['exhausted']);
    expect(complete('deliveries', 'resume', '--from', '')).toEqual(['backlog', 'now']);
  });

  it('takes the value of an option for no command', () => {
    expect(complete('directories', 'list', '--tenant', 'create', '--ty')).toEqual([]);
    expect(complete('directories', 'create', '--tenant', 'list', '--ty')).toEqual(['--type']);
  });

  it('completes files where a file is wanted, and nothing where nobody can know', () => {
    expect(complete('stats', '--api-key-file', 'a-')).toEqual(['a-key']);
    expect(complete('directories', 'create', '--tenant', '')).toEqual([]);
  });
});

it.each(['zsh', 'fish'])('has a script for %s with every command', async (shell) => {
  const { code, stdout } = await runRollcall(['completion', shell]);
  expect(code).toBe(0);
  for (const word of ['directories create', 'rotate-secret', 'okta-scim-v2', 'deliveries resume', 'completion'])
    expect(stdout).toContain(word);
});
