import { InvalidArgumentError, Option, type Command } from 'commander';
import { registerPlainCommand, type Select } from './command.ts';
import { enumOption, fileOption, jsonOption, productOption, tenantOption } from './options.ts';

export function registerImport(parent: Command, select: Select): void {
  const polis = parent
    .command('polis')
    .description('Import directories, users, groups, memberships and setup links from Ory Polis (BoxyHQ Jackson)');
  registerPlainCommand(
    polis,
    {
      options: [
        sourceOption().makeOptionMandatory(),
        new Option(
          '--source-encryption-key <key>',
          "value of Polis' DB_ENCRYPTION_KEY, or - to read it from standard input (default: POLIS_ENCRYPTION_KEY)",
        ),
        new Option(
          '--source-api-key <key>',
          'API key of Polis, for a --source that is its URL, or - to read it from standard input (default: POLIS_API_KEY)',
        ),
        tenantOption('only directories of this tenant'),
        productOption('only directories of this product; required for a URL'),
        new Option('--dry-run', 'report what would be imported, and write nothing'),
        fileOption('--report <file>', 'write the report to this file, as JSON'),
        enumOption('--on-conflict <policy>', 'for users with the same userName or externalId (default: fail)', ['fail', 'newest', 'skip']),
        new Option('--announce', 'emit an event for each user, group and membership'),
        new Option('--deliver-queued', "deliver the events in Polis' queue, with --watch those that it leaves; stop Polis first"),
        new Option('--watch', 'keep importing changes until Ctrl-C').conflicts('dryRun'),
        jsonOption(),
      ],
      examples: [
        'rollcall import polis --source postgres://polis:password@db.example/polis --report polis.json',
        'rollcall import polis --source postgres://db.example/polis --source-encryption-key - --dry-run',
        'rollcall import polis --source https://polis.example --source-api-key - --product crm',
      ],
      run: async (shell) => (await import('./import/import-polis.ts')).importFromPolis(polis.opts(), shell),
    },
    select,
  );
}

const protocols = new Set(['postgres:', 'postgresql:', 'http:', 'https:']);

const sourceOption = () =>
  new Option('--source <url>', "address of Polis' Postgres (its DB_URL), or URL of Polis").argParser((typed: string) => {
    if (!URL.canParse(typed) || !protocols.has(new URL(typed).protocol))
      throw new InvalidArgumentError('must be a URL such as postgres://user:password@host/polis or https://polis.example.');
    const { protocol, username, password } = new URL(typed);
    if (protocol.startsWith('http') && (username || password))
      throw new InvalidArgumentError('must have no user and no password if it is the URL of Polis: pass --source-api-key.');
    return typed;
  });
