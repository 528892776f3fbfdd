import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { ScriptError } from './run.mjs';
import { sqliteVersion, version } from './temporal-release.mjs';

const binFolder = '.rollcall/bin';
const binary = join(binFolder, 'temporal');
const versionFile = join(binFolder, 'temporal-version');
const draftFolder = join(binFolder, 'new');
/** What our own binary is made of, or should be: an older one is replaced if that is possible. */
const ingredients = `temporal ${version}, sqlite ${sqliteVersion}`;

/** Looks in the same places as `src/embedded/temporal.ts`, which finally finds the binary and rejects an invalid TEMPORAL_BINARY. */
export function hasTemporal() {
  return Boolean(process.env.TEMPORAL_BINARY) || findOnPath('temporal') !== undefined || (isExecutable(binary) && isCurrent());
}

function isCurrent() {
  try {
    return readFileSync(versionFile, 'utf8').trim() === ingredients;
  } catch {
    return false;
  }
}

export function obtainTemporal() {
  mkdirSync(binFolder, { recursive: true, mode: 0o700 });
  try {
    if (!download() && !buildWithGo()) {
      throw new ScriptError(
        'No Temporal server found: install the temporal CLI or Go (1.25 or newer) and run this again, or set TEMPORAL_ADDRESS to your own server.',
      );
    }
  } catch (error) {
    if (!isExecutable(binary)) throw error;
    // It is tried once: without internet access, each start would wait for it.
    writeFileSync(versionFile, `${ingredients}\n`);
    console.log(`${error.message} The older Temporal server in ${binFolder} is used. To try again, delete ${versionFile}.`);
  } finally {
    rmSync(draftFolder, { recursive: true, force: true });
  }
}

/** Silent: without internet access it fails quickly, and Go is tried next. Go verifies what it builds with its checksum database. */
function download() {
  emptyDraft();
  console.log('Downloading the Temporal server (first start) …');
  const { status } = spawnSync(process.execPath, ['scripts/download-temporal.mjs', resolve(draftFolder)], {
    stdio: 'ignore',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  if (status === 3) console.log('The downloaded Temporal server has the wrong checksum and is not used.');
  return status === 0 && adopt(join(draftFolder, 'temporal'));
}

function buildWithGo() {
  const go = findOnPath('go');
  if (go === undefined) return false;
  emptyDraft();
  console.log('Building the Temporal server with Go (3 to 6 minutes, first start only) …');
  const command = 'github.com/temporalio/cli/cmd/temporal';
  writeFileSync(join(draftFolder, 'go.mod'), 'module rollcall\n');
  let result;
  for (const args of [
    ['get', `${command}@v${version}`, `modernc.org/sqlite@v${sqliteVersion}`],
    ['install', command],
  ]) {
    result = spawnSync(go, args, {
      cwd: draftFolder,
      env: { ...process.env, ...goFolders(), GOBIN: resolve(draftFolder), CGO_ENABLED: '0', GOWORK: 'off' },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      timeout: 1_800_000,
    });
    if (result.status !== 0) break;
  }
  if (result.status === 0 && adopt(join(draftFolder, 'temporal'))) return true;
  const reason = result.error?.message ?? result.stderr.trim().split('\n').at(-1);
  throw new ScriptError(
    `Go could not build the Temporal server (${reason}): connect to the internet or install the temporal CLI and run this again, or set TEMPORAL_ADDRESS to your own server.`,
  );
}

/** Go requires a home folder for its caches. If there is no writable one, the draft folder is used. */
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

/** Installs the binary if it runs on this machine. */
function adopt(file) {
  if (!isExecutable(file) || spawnSync(file, ['--version']).status !== 0) return false;
  renameSync(file, binary);
  writeFileSync(versionFile, `${ingredients}\n`);
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
