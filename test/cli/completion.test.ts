import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { directoryTypes } from '../../src/directory/directories/directory.ts';
import { callRollcall, runRollcall } from './run-rollcall.ts';

let folder: string;
let script: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-completion-'));
  script = join(folder, 'completion.bash');
  writeFileSync(join(folder, 'a-key'), '');
  writeFileSync(script, (await runRollcall(['completion', 'bash'])).stdout);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers after these words, the last of which is being typed. */
function complete(...words: string[]): string[] {
  const typed = ['rollcall', ...words].map((word) => `'${word}'`).join(' ');
  const asking = `source ${script}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _rollcall; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', asking], { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('in bash', () => {
  it('completes commands and subcommands', () => {
    expect(complete('')).toEqual(expect.arrayContaining(['start', 'directories', 'events', 'doctor', 'help']));
    expect(complete('dir')).toEqual(['directories']);
    expect(complete('directories', '')).toEqual(['create', 'list', 'show', 'update', 'delete', 'rotate-secret', 'requests']);
  });

  it('completes the options of a command and their values', () => {
    expect(complete('directories', 'create', '--te')).toEqual(['--tenant']);
    expect(complete('directories', 'create', '--tenant', 'acme', '--type', '')).toEqual([...directoryTypes]);
    expect(complete('directories', 'create', '--type', '=', 'ok')).toEqual(['okta-scim-v2']);
    expect(complete('deliveries', 'list', '--status', 'ex')).toEqual(['exhausted']);
    expect(complete('deliveries', 'resume', '--from', '')).toEqual(['backlog', 'now']);
  });

  it('does not take the value of an option for a command', () => {
    expect(complete('directories', 'list', '--tenant', 'create', '--ty')).toEqual([]);
    expect(complete('directories', 'create', '--tenant', 'list', '--ty')).toEqual(['--type']);
    expect(complete('--url', 'directories', 'users', '')).toEqual(['list', 'show', 'export', 'erase']);
  });

  it('completes file names for file options, and nothing for free text', () => {
    expect(complete('stats', '--api-key-file', 'a-')).toEqual(['a-key']);
    expect(complete('directories', 'create', '--tenant', '')).toEqual([]);
  });
});

it.each(['zsh', 'fish'])('prints a script for %s with every command', async (shell) => {
  const { code, stdout } = await callRollcall(['completion', shell]);
  expect(code).toBe(0);
  for (const word of ['directories create', 'rotate-secret', 'okta-scim-v2', 'deliveries resume', 'completion'])
    expect(stdout).toContain(word);
});
