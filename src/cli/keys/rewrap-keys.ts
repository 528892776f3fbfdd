import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { createKeyring, type Keyring } from '../../keyring.ts';
import { openDatabase } from '../../store/database.ts';
import { checkEncryption, readUsedKeys } from '../../store/encryption-check.ts';
import { keyUserTimeoutMs, readKeyUsers } from '../../store/key-users.ts';
import { isSchemaKnown } from '../../store/migrate.ts';
import { countSealed, retireKeys, rewrapAll } from '../../store/rewrap.ts';
import type { SealedWork } from '../../temporal/sealed-payloads.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { CommandError } from '../failures.ts';
import { createPrinter } from '../print.ts';
import { createProgress, type Progress } from '../progress.ts';
import type { Shell } from '../shell.ts';
import { findKeyPlace } from './find-key-place.ts';
import { printKeys, reportKeys, type KeyReport } from './key-report.ts';
import type { OpenTemporal } from './open-temporal.ts';

interface Options {
  plan?: boolean;
  withoutTemporal?: boolean;
  json?: boolean;
}

/** Temporal's parts take a while to load: only where they are needed. */
const noTemporal: OpenTemporal = {
  find: () => Promise.resolve([]),
  renew: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

export async function rewrapKeys({ plan = false, withoutTemporal = false, json }: Options, shell: Shell): Promise<ExitCode> {
  const place = await findKeyPlace(shell.env, withoutTemporal);
  const keyring = createKeyring(place.encryptionKeys);
  const print = createPrinter(shell);
  const progress = createProgress(shell);
  const db = openDatabase(place.databaseUrl, { poolSize: 2 });
  let temporal = noTemporal;
  try {
    if (!(await isSchemaKnown(db)))
      throw new CommandError(exitCodes.failed, 'The database has a schema of another version: run `rollcall migrate` first.');
    if (place.temporal) temporal = await (await import('./open-temporal.ts')).openTemporal(place.temporal, keyring);
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
    else printKeys(print, keys, place.keysIn);
    for (const { kind, unreadable: count } of unreadable) print.note(`${count} ${kind} could not be decrypted.`);
    for (const key of keys) print.note(conclude(key, place.keysIn, plan));
    return keys.every(({ position, unused }) => position === 1 || unused) ? exitCodes.done : exitCodes.unhealthy;
  } finally {
    await Promise.all([temporal.close(), db.destroy()]);
  }
}

interface Parts {
  db: Knex;
  temporal: OpenTemporal;
  keyring: Keyring;
  progress: Progress;
}

async function rewrap({ db, temporal, keyring, progress }: Parts) {
  await assertKeyIsEverywhere(db, keyring);
  await checkEncryption(db, keyring);
  let done = 0;
  const rewrapped = await rewrapAll(db, keyring, (kind, rows) => progress.show({ text: `Encrypting ${kind}`, done: (done += rows) }));
  await renewWork({ temporal, keyring, progress });
  await waitForEndedProcesses({ db, keyring, progress });
  return rewrapped;
}

/** What is encrypted with a key that a running process lacks could not be read by it. */
async function assertKeyIsEverywhere(db: Knex, { keyIds: [first] }: Keyring): Promise<void> {
  const lacking = (await readKeyUsers(db)).filter(({ keyIds }) => !keyIds.includes(first));
  if (lacking.length > 0)
    throw new CommandError(
      exitCodes.failed,
      `${lacking.length === 1 ? '1 running process does' : `${lacking.length} running processes do`} not have the key ${first}: add it to ENCRYPTION_KEYS of every process and restart it. A process that was killed counts for ${keyUserTimeoutMs / 1000} s. Nothing was changed.`,
    );
}

const renewTimeoutMs = 60_000;
const betweenLooksMs = 500;

/** Until no open workflow that can be renewed holds anything under an older key. */
async function renewWork({ temporal, keyring, progress }: Omit<Parts, 'db'>): Promise<void> {
  const isOlder = ({ keyIds }: SealedWork) => keyIds.some((id) => id !== keyring.keyIds[0]);
  const show = (done: number) => progress.show({ text: 'Looking at workflows and schedules', done });
  let older = (await temporal.find(show)).filter(isOlder);
  await temporal.renew(older);
  const deadlineMs = Date.now() + renewTimeoutMs;
  while (older.length > 0 && Date.now() < deadlineMs) {
    await sleep(betweenLooksMs);
    progress.show({ text: 'Waiting for workflows:', done: older.length });
    older = (await temporal.find(undefined, older)).filter(isOlder);
  }
}

/** A process that was killed is still noted for a while; one that lives is seen again. */
async function waitForEndedProcesses({ db, keyring, progress }: Omit<Parts, 'temporal'>): Promise<void> {
  let formerAges = new Map<string, number>();
  for (const deadlineMs = Date.now() + keyUserTimeoutMs; Date.now() < deadlineMs;) {
    const older = (await readKeyUsers(db)).filter(({ keyIds }) => keyIds[0] !== keyring.keyIds[0]);
    const isAlive = older.some(({ process, seenMsAgo }) => seenMsAgo < (formerAges.get(process) ?? 0));
    if (older.length === 0 || isAlive) return;
    progress.show({ text: 'Waiting for processes that encrypt with an older key:', done: older.length });
    formerAges = new Map(older.map(({ process, seenMsAgo }) => [process, seenMsAgo]));
    await sleep(betweenLooksMs);
  }
}

/** Processes first: what none of them encrypts with can only become less. */
async function readReport({ db, temporal, keyring, progress }: Parts): Promise<KeyReport[]> {
  const users = await readKeyUsers(db);
  const usedKeys = await readUsedKeys(db);
  const counts = await countSealed(db);
  const work = await temporal.find((done) => progress.show({ text: 'Looking at workflows and schedules', done }));
  return reportKeys({ keyIds: keyring.keyIds, counts, work, users, usedKeys });
}

function conclude({ id, position, sealed, processes, unused }: KeyReport, keysIn: string, isPlan: boolean): string {
  if (position === 1) return `Key ${id} encrypts: it is the first in ${keysIn}.`;
  if (unused)
    return position === null
      ? `Key ${id} is unused.`
      : `Key ${id} is unused: ${isPlan ? '`rollcall keys rewrap` lets you remove it.' : `remove it from ${keysIn} everywhere, and restart.`}`;
  if (position === null) return `Key ${id} is in use, and is not in ${keysIn}: put it back.`;
  if (processes > 0)
    return `Key ${id} is in use: ${processes} running ${processes === 1 ? 'process encrypts' : 'processes encrypt'} with it. Put the new key first everywhere, and restart.`;
  const total = sealed.reduce((sum, { count }) => sum + count, 0);
  return `Key ${id} is in use: ${total.toLocaleString('en')} ${total === 1 ? 'item is' : 'items are'} encrypted with it. ${isPlan ? 'Run `rollcall keys rewrap`.' : 'Run this again later, and keep the key until then.'}`;
}
