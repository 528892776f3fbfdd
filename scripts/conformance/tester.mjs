import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ScriptError, run } from '../prepare/run.mjs';

const requirements = join(import.meta.dirname, 'requirements.txt');
const environment = '.rollcall/conformance';
/** Written last: the environment is complete if it exists. */
const stampFile = join(environment, 'installed.txt');
const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check', '--no-input', '--retries=2', '--timeout=20'];

/** Installs scim2-tester into its own Python environment, on the first run and when the versions change. */
export function obtainTester() {
  if (isInstalled()) return;
  if (spawnSync('python3', ['-c', 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))'], { stdio: 'ignore' }).status !== 0)
    throw new ScriptError(
      'The conformance tester requires Python: install python3 (3.11 or newer) with venv and pip, then run this again.',
    );
  console.log('Installing the conformance tester (first run, or its versions changed) …');
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(dirname(environment), { recursive: true, mode: 0o700 });
  run('python3', ['-m', 'venv', environment], { sentence: 'python3 could not create a virtual environment: see its output above.' });
  run(join(environment, 'bin/python'), [...pip, 'install', '--requirement', requirements], {
    sentence:
      'pip could not install the conformance tester: see its output above. It requires internet access or a configured package index.',
  });
  writeFileSync(stampFile, readFileSync(requirements));
}

const isInstalled = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === readFileSync(requirements, 'utf8');

/** Runs the tester against a service. The directory must be empty: the tester looks for its resources on the first page. */
export async function runTester({ url, secret, signal }) {
  const { output, code } = await readOutput(join(environment, 'bin/scim2'), ['test', '--verbose'], {
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', SCIM_CLI_URL: url, SCIM_CLI_HEADERS: `Authorization: Bearer ${secret}` },
    signal,
  });
  const results = readResults(output);
  const isComplete = results.length > 0 && (code === 0 || results.some(({ status }) => status !== 'SUCCESS'));
  if (!isComplete) throw new ScriptError(`The conformance tester gave no result (exit code ${code}):\n${output}`);
  return results;
}

/** Lines like `ERROR object_creation`, followed by details. */
function readResults(output) {
  const results = [];
  for (const line of output.split('\n')) {
    const [, status, title] = /^(SUCCESS|COMPLIANT|ACCEPTABLE|DEVIATION|ERROR|CRITICAL|SKIPPED) (.*)$/.exec(line) ?? [];
    if (status) results.push({ status, title, lines: [] });
    else results.at(-1)?.lines.push(line);
  }
  return results;
}

async function readOutput(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return { output, code };
}
