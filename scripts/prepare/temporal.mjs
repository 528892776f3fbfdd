import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { Refusal } from './run.mjs';
import { version } from './temporal-release.mjs';

const binFolder = '.rollcall/bin';
const binary = join(binFolder, 'temporal');
const draftFolder = join(binFolder, 'new');

/** The same places as `src/embedded/find-temporal.ts`, which is what finds the binary in the end and refuses a bad TEMPORAL_BINARY. */
export function hasTemporal() {
  return Boolean(process.env.TEMPORAL_BINARY) || findOnPath('temporal') !== undefined || isExecutable(binary);
}

export function obtainTemporal() {
  mkdirSync(binFolder, { recursive: true, mode: 0o700 });
  try {
    if (!download() && !buildWithGo()) {
      throw new Refusal(
        'Rollcall needs a Temporal server and found none: install the temporal CLI or Go (1.25 or newer) and run this again, or set TEMPORAL_ADDRESS to a server of yours.',
      );
    }
  } finally {
    rmSync(draftFolder, { recursive: true, force: true });
  }
}

/** Quietly: without internet it fails within moments, and Go is next. Go checks what it builds by its checksum database. */
function download() {
  emptyDraft();
  console.log('Fetching the Temporal server (first start) …');
  const { status } = spawnSync(process.execPath, ['scripts/download-temporal.mjs', resolve(draftFolder)], {
    stdio: 'ignore',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  if (status === 3) console.log('What was downloaded does not have the checksum of the Temporal server; it is not used.');
  return status === 0 && adopt(join(draftFolder, 'temporal'));
}

function buildWithGo() {
  const go = findOnPath('go');
  if (go === undefined) return false;
  emptyDraft();
  console.log('Building the Temporal server with Go: this takes about 3 minutes, the first time only …');
  const { status, stderr, error } = spawnSync(go, ['install', `github.com/temporalio/cli/cmd/temporal@v${version}`], {
    env: { ...process.env, ...goFolders(), GOBIN: resolve(draftFolder), CGO_ENABLED: '0' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0 && adopt(join(draftFolder, 'temporal'))) return true;
  const reason = error?.message ?? stderr.trim().split('\n').at(-1);
  throw new Refusal(
    `Go could not build the Temporal server (${reason}): connect to the internet or install the temporal CLI and run this again, or set TEMPORAL_ADDRESS to a server of yours.`,
  );
}

/** Go wants a home folder for its caches. Where there is none to write to, they go with the draft. */
function goFolders() {
  const home = process.env.HOME || homedir();
  if (isWritable(home)) return { HOME: home };
  return {
    HOME: resolve(draftFolder),
    GOPATH: resolve(draftFolder, 'go'),
    GOCACHE: resolve(draftFolder, 'cache'),
    GOFLAGS: '-modcacherw',
  };
}

function emptyDraft() {
  rmSync(draftFolder, { recursive: true, force: true });
  mkdirSync(draftFolder, { mode: 0o700 });
}

/** Only a binary that runs here takes its place, whole. */
function adopt(file) {
  if (!isExecutable(file) || spawnSync(file, ['--version']).status !== 0) return false;
  renameSync(file, binary);
  return true;
}

function findOnPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
