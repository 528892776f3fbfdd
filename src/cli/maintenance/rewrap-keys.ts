import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { createKeyring, type Keyring } from '../../keyring.ts';
import { type Pooler, openDatabase } from '../../store/database.ts';
import { checkEncryption, type KeyUser, keyUserTimeoutMs, readKeyUsers, readUsedKeys } from '../../store/encryption/keys-in-use.ts';
import { readSchemaState } from '../../store/migrations/migrate.ts';
import { endWatches } from '../../store/deliveries/wake-flags.ts';
import { type SealedCount, countSealed, retireKeys, rewrapAll } from '../../store/encryption/rewrap.ts';
import { deliveryWorkflowId } from '../../temporal/names.ts';
import type { SealedWork, TemporalWork } from '../../temporal/sealed-work.ts';
import { CommandError, type ExitCode, exitCodes } from '../errors.ts';
import { type Printer, createPrinter } from '../output/printer.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { type Shell, loadEnvFile } from '../shell.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../config.ts';
import { readEncryptionKeys } from '../../config/server.ts';
import { findRunningPostgres, findRunningTemporal } from '../../embedded/running-servers.ts';
import { commandActor } from '../../audit/act.ts';
import { recordAct } from '../../store/audit/record-act.ts';
import type { TemporalAccess } from '../../temporal/connect.ts';

interface Options {
  plan?: boolean;
  withoutTemporal?: boolean;
  json?: boolean;
}

const noTemporal: TemporalWork = {
  find: () => Promise.resolve([]),
  renew: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

export async function rewrapKeys({ plan = false, withoutTemporal = false, json }: Options, shell: Shell): Promise<ExitCode> {
  const access = await findKeyAccess(shell.env, withoutTemporal);
  const keyring = createKeyring(access.encryptionKeys);
  const print = createPrinter(shell);
  const progress = createProgress(shell);
  const db = openDatabase(access.databaseUrl, { pooler: access.pooler, poolSize: 2 });
  let temporal = noTemporal;
  try {
    if ((await readSchemaState(db)) !== 'known')
      throw new CommandError(exitCodes.failed, 'The database schema belongs to another version. Run `rollcall migrate` first.');
    // Temporal's SDK takes a while to load.
    if (access.temporal) temporal = await (await import('../../temporal/sealed-work.ts')).openTemporalWork(access.temporal, keyring);
    const parts = { db, temporal, keyring, progress };
    const rewrapped = plan ? [] : await rewrap(parts);
    const keys = await readReport(parts);
    if (!plan)
      await retireKeys(
        db,
        keys.filter(({ unused }) => unused).map(({ id }) => id),
      );
    progress.end();
    const unreadable = rewrapped.filter((one) => one.unreadable > 0);
    if (json) print.json({ planned: plan, rewrapped, keys });
    else printKeys(print, keys);
    for (const { kind, unreadable: count } of unreadable) print.note(`Failed to decrypt ${kind}: ${count}`);
    for (const key of keys) print.note(describeNextStep(key, access.keySource, plan));
    return keys.every(({ position, unused }) => position === 1 || unused) ? exitCodes.success : exitCodes.unhealthy;
  } finally {
    await Promise.all([temporal.close(), db.destroy()]);
  }
}

interface Parts {
  db: Knex;
  temporal: TemporalWork;
  keyring: Keyring;
  progress: Progress;
}

async function rewrap({ db, temporal, keyring, progress }: Parts) {
  await assertKeyIsEverywhere(db, keyring);
  await checkEncryption(db, keyring);
  const current = { actor: commandActor('keys rewrap'), targets: [{ type: 'encryption_key' as const, id: keyring.keyIds[0] }] };
  await recordAct(db, { action: 'keys.rewrap_started', ...current });
  let done = 0;
  const rewrapped = await rewrapAll(db, keyring, (kind, rows) => progress.show({ text: `Encrypting ${kind}`, done: (done += rows) }));
  await renewWork({ db, temporal, keyring, progress });
  await waitForEndedProcesses({ db, keyring, progress });
  const changes = Object.fromEntries(rewrapped.map(({ kind, rewrapped: count }) => [kind, count]));
  await recordAct(db, { action: 'keys.rewrapped', ...current, changes });
  return rewrapped;
}

/** A running process that lacks the key could not read what is encrypted with it. */
async function assertKeyIsEverywhere(db: Knex, { keyIds: [first] }: Keyring): Promise<void> {
  const lacking = (await readKeyUsers(db)).filter(({ keyIds, hasEnded }) => !hasEnded && !keyIds.includes(first));
  if (lacking.length > 0)
    throw new CommandError(
      exitCodes.failed,
      `${lacking.length === 1 ? '1 running process does' : `${lacking.length} running processes do`} not have the key ${first}. Add it to ENCRYPTION_KEYS of every process and restart them; a killed process counts for another ${keyUserTimeoutMs / 1000} s. Nothing was changed.`,
    );
}

const renewTimeoutMs = 60_000;
const pollIntervalMs = 500;
const deliveries = deliveryWorkflowId('');

/** Renews workflows and schedules, and waits until none of them holds anything under an older key. */
async function renewWork({ db, temporal, keyring, progress }: Parts): Promise<void> {
  const isOlder = ({ keyIds }: SealedWork) => keyIds.some((id) => id !== keyring.keyIds[0]);
  const show = (done: number) => progress.show({ text: 'Scanning workflows and schedules:', done });
  let older = (await temporal.find(show)).filter(isOlder);
  await temporal.renew(older);
  const deadlineMs = Date.now() + renewTimeoutMs;
  while (older.length > 0 && Date.now() < deadlineMs) {
    // A delivery continues as new when its drain has ended.
    await endWatches(
      db,
      older.flatMap(({ id }) => (id.startsWith(deliveries) ? id.slice(deliveries.length) : [])),
    );
    await sleep(pollIntervalMs);
    progress.show({ text: 'Waiting for workflows:', done: older.length });
    older = (await temporal.find(undefined, older)).filter(isOlder);
  }
}

/** A killed process stays recorded for a while; a live one updates its record. */
async function waitForEndedProcesses({ db, keyring, progress }: Omit<Parts, 'temporal'>): Promise<void> {
  let previousAges = new Map<string, number>();
  for (const deadlineMs = Date.now() + keyUserTimeoutMs; Date.now() < deadlineMs;) {
    const older = (await readKeyUsers(db)).filter(({ keyIds, hasEnded }) => !hasEnded && keyIds[0] !== keyring.keyIds[0]);
    const isAlive = older.some(({ process, seenMsAgo }) => seenMsAgo < (previousAges.get(process) ?? 0));
    if (older.length === 0 || isAlive) return;
    progress.show({ text: 'Waiting for processes that encrypt with an older key:', done: older.length });
    previousAges = new Map(older.map(({ process, seenMsAgo }) => [process, seenMsAgo]));
    await sleep(pollIntervalMs);
  }
}

/** Reads the processes first: a key that none of them encrypts with can only lose items. */
async function readReport({ db, temporal, keyring, progress }: Parts): Promise<KeyReport[]> {
  const users = await readKeyUsers(db);
  const usedKeys = await readUsedKeys(db);
  const counts = await countSealed(db);
  const work = await temporal.find((done) => progress.show({ text: 'Scanning workflows and schedules:', done }));
  return reportKeys({ keyIds: keyring.keyIds, counts, work, users, usedKeys });
}

interface KeyAccess {
  encryptionKeys: Buffer[];
  /** For people: where the keys were found. */
  keySource: string;
  databaseUrl: string;
  pooler: Pooler;
  temporal: TemporalAccess | undefined;
}

/** Finds the keys, the database and the Temporal that the service uses with these settings. */
async function findKeyAccess(env: NodeJS.ProcessEnv, withoutTemporal: boolean): Promise<KeyAccess> {
  loadEnvFile();
  const { dataDir, database, temporal, encryptionKeys } = readConfig(env, 'start');
  const keyFile = join(dataDir, 'encryption-key');
  const databaseUrl = database.url ?? (await findRunningPostgres(dataDir))?.url;
  if (databaseUrl === undefined)
    throw new CommandError(
      exitCodes.unavailable,
      `No service runs in ${dataDir}. Start it so that its workflows can be re-encrypted, or set DATABASE_URL. Nothing was changed.`,
    );
  const address = withoutTemporal ? undefined : (temporal.address ?? (await findRunningTemporal(dataDir)));
  if (address === undefined && !withoutTemporal)
    throw new CommandError(
      exitCodes.failed,
      'TEMPORAL_ADDRESS is not set, and no service with an embedded Temporal runs here. Set it, or pass --without-temporal if only the library uses this database. Nothing was changed.',
    );
  return {
    encryptionKeys: encryptionKeys ?? readEncryptionKeys(await readKeyFile(keyFile), keyFile),
    keySource: encryptionKeys ? 'ENCRYPTION_KEYS' : keyFile,
    databaseUrl,
    pooler: database.pooler,
    temporal: address === undefined ? undefined : { ...temporal, address },
  };
}

const readKeyFile = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.failed, `Cannot read ${file} (${error.code}). Restore it, or set ENCRYPTION_KEYS.`);
  });

interface KeyReport {
  id: string;
  /** Position in the list of keys, from 1; null if it is not there. */
  position: number | null;
  sealed: { kind: string; count: number }[];
  /** How many running processes encrypt with it. */
  processes: number;
  /** How many processes that encrypted with it have ended within the last hour: clients may still send cursors of SCIM lists. */
  endedProcesses: number;
  /** Nothing is encrypted with it, and no process encrypts with it. */
  unused: boolean;
}

interface KeyFacts {
  /** The preferred key comes first. */
  keyIds: string[];
  counts: SealedCount[];
  work: SealedWork[];
  users: KeyUser[];
  /** The database records which keys were used. */
  usedKeys: string[];
}

function reportKeys({ keyIds, counts, work, users, usedKeys }: KeyFacts): KeyReport[] {
  const ids = new Set([...keyIds, ...usedKeys, ...counts.map(({ keyId }) => keyId), ...work.flatMap((one) => one.keyIds)]);
  return [...ids].map((id) => {
    const ofWork = new Map<string, number>();
    for (const { kind, type } of work.filter((one) => one.keyIds.includes(id))) {
      const name = kind === 'schedule' ? `schedules (${type})` : `open workflows (${type})`;
      ofWork.set(name, (ofWork.get(name) ?? 0) + 1);
    }
    const sealed = [
      ...counts.filter(({ keyId }) => keyId === id).map(({ kind, count }) => ({ kind, count })),
      ...[...ofWork].map(([kind, count]) => ({ kind, count })),
    ];
    const encrypting = users.filter((user) => user.keyIds[0] === id);
    const endedProcesses = encrypting.filter(({ hasEnded }) => hasEnded).length;
    const processes = encrypting.length - endedProcesses;
    const place = keyIds.indexOf(id);
    const unused = place !== 0 && sealed.length + encrypting.length === 0;
    return { id, position: place === -1 ? null : place + 1, sealed, processes, endedProcesses, unused };
  });
}

function printKeys(print: Printer, keys: KeyReport[]): void {
  const describeKey = ({ id, position }: KeyReport) =>
    `${id} (${position === null ? 'missing' : position === 1 ? 'current' : `number ${position}`})`;
  print.table(
    [
      { title: 'Key', value: ({ key }) => describeKey(key) },
      { title: 'Encrypted with it', value: ({ kind }) => kind, mayShrink: true },
      { title: 'Count', value: ({ count }) => count.toLocaleString('en'), alignRight: true },
    ],
    keys.flatMap((key) => {
      const processes = key.processes > 0 ? [{ kind: 'processes that encrypt with it', count: key.processes }] : [];
      const ended =
        key.endedProcesses > 0 ? [{ kind: 'ended processes whose SCIM cursors are still valid', count: key.endedProcesses }] : [];
      const rows = [...key.sealed, ...processes, ...ended];
      return (rows.length > 0 ? rows : [{ kind: 'nothing', count: 0 }]).map((row) => ({ key, ...row }));
    }),
  );
}

/** What to do about a key, in one sentence. */
function describeNextStep(
  { id, position, sealed, processes, endedProcesses, unused }: KeyReport,
  keySource: string,
  isPlan: boolean,
): string {
  if (position === 1) return `Key ${id} is the current key: it is the first in ${keySource}.`;
  if (unused)
    return position === null
      ? `Key ${id} is unused.`
      : `Key ${id} is unused. ${isPlan ? 'Run `rollcall keys rewrap` before you remove it.' : `Remove it from ${keySource} everywhere, and restart.`}`;
  if (position === null) return `Key ${id} is in use but missing from ${keySource}. Put it back.`;
  if (processes > 0)
    return `Key ${id} is in use: ${processes} running ${processes === 1 ? 'process encrypts' : 'processes encrypt'} with it. Put the new key first everywhere, and restart.`;
  if (sealed.length === 0 && endedProcesses > 0)
    return `Key ${id} is in use: SCIM cursors that it encrypted are valid for an hour. ${isPlan ? 'Run `rollcall keys rewrap`' : 'Keep the key, and run this command again'} an hour after the last process that encrypted with it has ended.`;
  const total = sealed.reduce((sum, { count }) => sum + count, 0);
  return `Key ${id} is in use: ${total.toLocaleString('en')} ${total === 1 ? 'item is' : 'items are'} encrypted with it. ${isPlan ? 'Run `rollcall keys rewrap`.' : 'Keep the key, and run this command again later.'}`;
}
