import { createKeyring } from '../../keyring.ts';
import { examineDatabase, type DatabaseFacts } from '../../store/examine-database.ts';
import { clockFinding } from './clock.ts';
import { createFindings, type Finding } from './finding.ts';

const { ok, problem, warning } = createFindings('Database');
const neededVersion = 140_000;

export interface DatabaseToCheck {
  url: string;
  encryptionKeys: Buffer[] | undefined;
  /** What the address is called where it is set. */
  named: string;
}

export async function checkDatabase({ url, encryptionKeys, named }: DatabaseToCheck): Promise<Finding[]> {
  let facts: DatabaseFacts;
  try {
    facts = await examineDatabase(url, encryptionKeys && createKeyring(encryptionKeys));
  } catch (error) {
    return [explainFailure(error, named)];
  }
  return [versionFinding(facts), ...schemaFindings(facts), clockFinding('the database', facts.now, { uncertainMs: facts.roundTripMs })];
}

function versionFinding({ version, versionText }: DatabaseFacts): Finding {
  const name = `Postgres ${versionText}`;
  return version >= neededVersion ? ok(`${name} answers.`) : problem(`${name} is too old.`, 'Use Postgres 14 or newer.');
}

function schemaFindings({ schema, keysFit }: DatabaseFacts): Finding[] {
  if (schema === 'none')
    return [
      warning(
        'The database is empty: nothing was set up in it yet.',
        'Run `rollcall migrate`; `start`, `api` and `worker` do so themselves.',
      ),
    ];
  if (schema === 'other')
    return [
      problem(
        'Its schema is of another version of Rollcall.',
        'Run `rollcall migrate` of the newest version, and that version everywhere.',
      ),
    ];
  const known = ok('Its schema is of this version.');
  if (keysFit === undefined) return [known];
  return [
    known,
    keysFit
      ? ok('The encryption keys open what is stored.')
      : problem(
          'The encryption keys do not open what is stored.',
          'Put the key that the database was set up with into ENCRYPTION_KEYS, or back into the data folder.',
        ),
  ];
}

const reasons: [code: RegExp, message: string, advice: (named: string) => string][] = [
  [/^28/, 'Postgres refuses the user or the password.', (named) => `Correct them in ${named}.`],
  [/^3D000$/, 'Postgres has no such database.', (named) => `Create it, or correct ${named}.`],
  [/^42501$/, 'The user may not read what is in the database.', (named) => `Make the user of ${named} the owner of the database.`],
  [/^ENOTFOUND|^EAI_/, 'The name of its machine is not known.', (named) => `Correct the host in ${named}, or the name server.`],
  [/^ECONNREFUSED$/, 'Nothing listens at its address.', (named) => `Start Postgres, or correct ${named}.`],
  [/^53/, 'Postgres has no connection left.', () => 'Raise max_connections, or lower DATABASE_POOL_SIZE.'],
];

/** Never with the address itself: it has the password in it. */
function explainFailure(error: unknown, named: string): Finding {
  const code = (error as { code?: string }).code ?? (error as { errors?: { code?: string }[] }).errors?.[0]?.code ?? '';
  const [, message, advice] = reasons.find(([pattern]) => pattern.test(code)) ?? [];
  if (message === undefined || advice === undefined)
    return problem(
      `Postgres does not answer${code ? ` (${code})` : ''}.`,
      `Start it, or correct ${named}; look whether a firewall is between.`,
    );
  return problem(message, advice(named));
}
