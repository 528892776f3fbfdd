import { createKeyring } from '../../keyring.ts';
import { examineDatabase, type DatabaseFacts } from '../../store/sql/examine-database.ts';
import { checkClock } from './check-clock.ts';
import { createFindings, type Finding } from './findings.ts';
import { type Pooler, openDatabase } from '../../store/database.ts';
import { isRefusedByPooler, missingSettings, poolerAdvice, refusedByPooler, settingsAdvice } from '../../store/sql/settings.ts';
import { readPosition } from '../../store/sql/watch-replica.ts';

const { ok, problem, warning } = createFindings('Database');
const minVersion = 140_000;

export interface DatabaseToCheck {
  url: string;
  pooler: Pooler;
  encryptionKeys: Buffer[] | undefined;
  /** Where the URL is set, for people. */
  setting: string;
}

export async function checkDatabase({ url, pooler, encryptionKeys, setting }: DatabaseToCheck): Promise<Finding[]> {
  let facts: DatabaseFacts;
  try {
    facts = await examineDatabase(url, encryptionKeys && createKeyring(encryptionKeys), pooler);
  } catch (error) {
    return [describeFailure(error, setting)];
  }
  return [
    versionFinding(facts),
    ...schemaFindings(facts),
    ...settingsFindings(facts),
    checkClock('the database', facts.now, { uncertaintyMs: facts.roundTripMs }),
  ];
}

function versionFinding({ version, versionText }: DatabaseFacts): Finding {
  const name = `Postgres ${versionText}`;
  return version >= minVersion ? ok(`${name} responds.`) : problem(`${name} is too old.`, 'Use Postgres 14 or newer.');
}

function settingsFindings({ missingSettings: statements }: DatabaseFacts): Finding[] {
  return statements.length === 0 ? [] : [problem(missingSettings, `${settingsAdvice} ${statements.join(' ')}`)];
}

function schemaFindings({ schema, keysFit }: DatabaseFacts): Finding[] {
  if (schema === 'none') return [warning('The database is empty.', 'Run `rollcall migrate`; `start`, `api` and `worker` also migrate it.')];
  if (schema === 'other')
    return [
      problem(
        'The schema belongs to another version of Rollcall.',
        'Run `rollcall migrate` of the newest version, and use that version everywhere.',
      ),
    ];
  const current =
    schema === 'known'
      ? ok('The schema is up to date.')
      : warning(
          'The schema belongs to a newer version of Rollcall, with which this version can work.',
          'Finish the upgrade or the rollback.',
        );
  if (keysFit === undefined) return [current];
  return [
    current,
    keysFit
      ? ok('The encryption keys decrypt the stored data.')
      : problem(
          'The encryption keys do not decrypt the stored data.',
          'Restore the key that the database was created with, in ENCRYPTION_KEYS or in the data folder.',
        ),
  ];
}

const reasons: [code: RegExp, message: string, advice: (setting: string) => string][] = [
  [/^28/, 'Postgres rejected the user or the password.', (setting) => `Correct them in ${setting}.`],
  [/^3D000$/, 'The database does not exist.', (setting) => `Create it, or correct ${setting}.`],
  [/^42501$/, 'The user may not read the database.', (setting) => `Make the user in ${setting} the owner of the database.`],
  [/^ENOTFOUND|^EAI_/, 'The host name cannot be resolved.', (setting) => `Correct the host in ${setting}, or the DNS.`],
  [/^ECONNREFUSED$/, 'Nothing listens at the address of the database.', (setting) => `Start Postgres, or correct ${setting}.`],
  [/^53/, 'Postgres has no free connections.', () => 'Raise max_connections, or lower DATABASE_POOL_SIZE.'],
];

/** Without the URL, which contains the password. */
function describeFailure(error: unknown, setting: string): Finding {
  if (isRefusedByPooler(error)) return problem(refusedByPooler, poolerAdvice);
  const code = (error as { code?: string }).code ?? (error as { errors?: { code?: string }[] }).errors?.[0]?.code ?? '';
  const [, message, advice] = reasons.find(([pattern]) => pattern.test(code)) ?? [];
  if (message === undefined || advice === undefined)
    return problem(
      `Postgres does not respond${code ? ` (${code})` : ''}.`,
      `Start it, correct ${setting}, or check for a firewall in between.`,
    );
  return problem(message, advice(setting));
}

const replica = createFindings('Read replica');

/** The service measures the lag, and shows it at `/health/ready`. */
export async function checkReplica({ url, primaryUrl, pooler }: { url: string; primaryUrl: string; pooler: Pooler }): Promise<Finding[]> {
  const [standby, primary] = [url, primaryUrl].map((one) => openDatabase(one, { pooler, poolSize: 1 }));
  try {
    const expected = await readPosition(primary!, 'pg_current_wal_lsn').catch(() => undefined);
    // The check of the database reports it.
    if (expected === undefined) return [];
    const found = await readPosition(standby!, 'pg_last_wal_replay_lsn').catch(() => undefined);
    if (found === undefined)
      return [
        replica.warning(
          'The replica does not respond, so the primary serves lists and the feed.',
          'Start it, or correct DATABASE_READ_URL.',
        ),
      ];
    if (found.identity !== expected.identity)
      return [
        replica.problem('The server at DATABASE_READ_URL has another database.', 'Use the address of a streaming replica of DATABASE_URL.'),
      ];
    if (found.position === null || !found.isReplica)
      return [
        replica.problem(
          'The server at DATABASE_READ_URL is not a replica.',
          'Use the address of a streaming replica, or remove the setting.',
        ),
      ];
    return [replica.ok('The replica responds.')];
  } finally {
    await Promise.all([standby!.destroy(), primary!.destroy()]);
  }
}
