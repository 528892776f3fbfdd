import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { toCommandError } from '../../src/cli/errors.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import type { Shell } from '../../src/cli/shell.ts';
import type { ClientError } from '../../src/client/index.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';

/** The error messages of the command line. Other tests compare the exit code. */

/** Runs in this process, without a service. */
async function type(line: string, env: NodeJS.ProcessEnv = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shell = { env, stdin: process.stdin, stdout, stderr } as unknown as Shell;
  const code = await runCommandLine(line.replaceAll('{id}', id).split(' ').filter(Boolean), shell);
  return { code, message: `${stderr.read() ?? ''}`.trim().replaceAll(id, '{id}'), out: `${stdout.read() ?? ''}` };
}

/** There is neither a service nor an API key: usage errors are reported first. */
describe('a usage error names the argument, suggests the right word and shows an example', () => {
  it.each([
    [
      'directories create --tenent acme',
      'Unknown option --tenent. Did you mean --tenant? Example: rollcall directories create --tenant acme --product crm --type okta-scim-v2',
    ],
    [
      'directories create --tenant acme --product crm --webhok-url=https://a.example',
      'Unknown option --webhok-url. Did you mean --webhook-url? Example: rollcall directories create --tenant acme --product crm --webhook-url https://app.example/hooks --json',
    ],
    [
      'directories create --tenant acme --product crm --webhook https://a.example',
      'Unknown option --webhook. Did you mean --webhook-url or --webhook-secret or --webhook-legacy-signatures? Example: rollcall directories create --tenant acme --product crm --type okta-scim-v2',
    ],
    [
      'directories create',
      'directories create requires --tenant and --product. Example: rollcall directories create --tenant acme --product crm --type okta-scim-v2',
    ],
    [
      'directories create --tenant acme',
      'directories create requires --product. Example: rollcall directories create --tenant acme --product crm --type okta-scim-v2',
    ],
    [
      'directories create --tenant --product crm',
      '--tenant requires a value: --tenant <tenant>. Example: rollcall directories create --tenant acme --product crm --type okta-scim-v2',
    ],
    [
      'directories create --product crm --tenant',
      '--tenant requires a value: --tenant <tenant>. Example: rollcall directories create --tenant acme --product crm --type okta-scim-v2',
    ],
    [
      'directories create --type okta',
      '--type must be one of azure-scim-v2, onelogin-scim-v2, okta-scim-v2, jumpcloud-scim-v2, generic-scim-v2, google, entra, csv, not "okta". Did you mean okta-scim-v2? Example: rollcall directories create --tenant acme --product crm --type okta-scim-v2',
    ],
    [
      'directories create --tenant Acme Corp --product crm',
      'directories create takes no arguments; remove "Corp". Quote values that contain spaces. Example: rollcall directories create --tenant acme --product crm --type okta-scim-v2',
    ],
    [
      'directory list',
      'Unknown command: directory. Did you mean directories? Run `rollcall help` to list all commands. Example: rollcall help directories',
    ],
    ['dirs', 'Unknown command: dirs. Run `rollcall help` to list all commands. Example: rollcall help'],
    [
      'directories lst',
      'Unknown command: directories lst. Did you mean list? Available: create, list, show, update, delete, rotate-secret, requests. Example: rollcall directories list',
    ],
    [
      'directories get',
      'Unknown command: directories get. Did you mean show? Available: create, list, show, update, delete, rotate-secret, requests. Example: rollcall directories show {id}',
    ],
    [
      'directories',
      'directories requires a command: create, list, show, update, delete, rotate-secret, requests. Example: rollcall help directories',
    ],
    ['directories list --tenant acme', '--tenant requires --product. Example: rollcall directories list --tenant acme --product crm'],
    ['directories show', 'directories show requires <directory>. Example: rollcall directories show {id}'],
    [
      'directories show acme',
      '<directory> must be an ID such as {id}, not "acme". Run `rollcall directories list` to find IDs. Example: rollcall directories show {id}',
    ],
    [
      'deliveries show',
      'deliveries show requires <directory> and <delivery>. Example: rollcall deliveries show {id} msg_4rP9dXo2Qm7LkTz0VbNcYfGhJsA',
    ],
    [
      'deliveries show {id} msg_1',
      '<delivery> must be an ID such as msg_4rP9dXo2Qm7LkTz0VbNcYfGhJsA, not "msg_1". Run `rollcall deliveries list <directory>` to find IDs, or look at the webhook-id header of a webhook. Example: rollcall deliveries show {id} msg_4rP9dXo2Qm7LkTz0VbNcYfGhJsA',
    ],
    [
      'deliveries list {id} --status failed',
      '--status must be one of pending, delivered, exhausted, split, skipped, replayed, canceled, not "failed". Example: rollcall deliveries list {id} --status exhausted',
    ],
    ['deliveries list --kind replay', '--kind requires a directory. Example: rollcall deliveries list {id} --kind replay'],
    [
      'deliveries list {id} --product crm',
      '--product and a directory cannot be used together. Example: rollcall deliveries list --product crm',
    ],
    [
      'users list --limit many',
      '--limit must be a whole number from 1 to 1000, not "many". Example: rollcall users list --tenant acme --product crm --limit 50',
    ],
    [
      'users list --limit 5 --all',
      '--all and --limit cannot be used together. Example: rollcall users list --tenant acme --product crm --all --json',
    ],
    [
      'events tail --since yesterday',
      '--since must be a time such as 2026-11-21T08:43:54Z, or a duration ago such as 15m, 2h or 1d, not "yesterday". Example: rollcall events tail --since 15m --types user.created --json',
    ],
    [
      'events list --types user.create,group.deleted',
      '--types must be one of user.created, user.updated, user.deleted, user.deactivated, user.reactivated, group.created, group.updated, group.deleted, group.user_added, group.user_removed, not "user.create". Did you mean user.created? Example: rollcall events list --types user.created,user.deleted --all --json',
    ],
    [
      'directories create --webhook-url app.example',
      '--webhook-url must be a URL such as https://app.example/hooks, not "app.example". Example: rollcall directories create --tenant acme --product crm --webhook-url https://app.example/hooks --json',
    ],
    ['completion tcsh', '<shell> must be one of bash, zsh, fish, not "tcsh". Example: source <(rollcall completion bash)'],
    ['help directories lst', 'Unknown command: directories lst. Did you mean list? Example: rollcall help directories list'],
    ['start --port 80', 'Unknown option --port. Run `rollcall start --help` to list its options. Example: rollcall start'],
    [
      'users list --url localhost:5225 --product crm --tenant acme',
      '--url must be the URL of a service, not "localhost:5225". Example: --url http://127.0.0.1:5225',
    ],
    ['stats --api-key-file /nowhere/key', 'Cannot read --api-key-file /nowhere/key (ENOENT). Example: --api-key-file .rollcall/api-key'],
    ['doctor --tenant acme', '--tenant requires --product. Example: rollcall doctor --tenant acme --product crm'],
    [
      'users list --tenant acme',
      'Specify --directory, or --tenant and --product. Example: rollcall users list --tenant acme --product crm',
    ],
    ['events list --tenant acme', '--tenant requires --product. Example: rollcall events list --tenant acme --product crm --since 1d'],
    [
      'directories update {id}',
      'Specify at least one setting to change, such as --name or --webhook-url. Example: rollcall directories update {id} --webhook-url https://app.example/hooks',
    ],
    [
      'replay {id}',
      'Specify the events to resend: event IDs, --from and --to, --since and --until, --delivery, --failed or --missing. Example: rollcall replay {id} --from 120 --to 180',
    ],
    ['replay {id} --from 3', '--from requires --to. Example: rollcall replay {id} --from 120 --to 180'],
    ['replay {id} --from 3 --to 2', '--to must not be less than --from. Example: rollcall replay {id} --from 120 --to 180'],
    [
      'replay {id} --from 3 --to 9 --failed',
      'Cannot combine --from and --to with --failed. Example: rollcall replay {id} --from 120 --to 180',
    ],
    ['replay {id} --until 1h', '--until requires --since. Example: rollcall replay {id} --since 2h --until 30m'],
    ['sync', 'Specify <directory> or --all. Example: rollcall sync {id}'],
    ['sync {id} --all', '<directory> and --all cannot be used together. Example: rollcall sync {id}'],
  ])('rejects `rollcall %s`', async (line, message) => {
    expect(await type(line)).toEqual({ code: 2, message, out: '' });
  });
});

describe('an option before the command', () => {
  it.each([
    [
      '--url localhost:5225 directories list',
      '--url must be the URL of a service, not "localhost:5225". Example: --url http://127.0.0.1:5225',
    ],
    [
      'directories --url localhost:5225 list',
      '--url must be the URL of a service, not "localhost:5225". Example: --url http://127.0.0.1:5225',
    ],
    ['--url=localhost:5225 stats --json', '--url must be the URL of a service, not "localhost:5225". Example: --url http://127.0.0.1:5225'],
    [
      '--url ignored --json stats --url localhost:5225',
      '--url must be the URL of a service, not "localhost:5225". Example: --url http://127.0.0.1:5225',
    ],
    ['--api-key-file /nowhere/key stats', 'Cannot read --api-key-file /nowhere/key (ENOENT). Example: --api-key-file .rollcall/api-key'],
    [
      '--limit 5 users list',
      'Unknown option --limit before the command. Only --wide, --json, --url, --api-key, --api-key-file and --help can come before it. Example: rollcall --json directories list',
    ],
    [
      '--ulr http://a.example stats',
      'Unknown option --ulr. Did you mean --url? Example: rollcall --url http://127.0.0.1:5225 directories list',
    ],
    ['--url http://a.example start', 'start does not take --url. Example: rollcall start'],
    ['--wide stats', 'stats does not take --wide. Example: rollcall stats'],
    ['stats --wide', 'stats does not take --wide. Example: rollcall stats'],
    ['--url --json stats', '--url requires a value: --url <url>. Example: rollcall stats --url http://127.0.0.1:5225'],
    ['--url directories list', '--url requires a value: --url <url>. Example: rollcall help --url http://127.0.0.1:5225'],
  ])('rejects `rollcall %s`', async (line, message) => {
    expect(await type(line)).toEqual({ code: 2, message, out: '' });
  });
});

describe('a connection', () => {
  it.each<[NodeJS.ProcessEnv, number, string]>([
    [
      { ROLLCALL_URL: 'http://rollcall.invalid' },
      4,
      'No API key for http://rollcall.invalid. Set ROLLCALL_API_KEY, or pass a key file. Example: --api-key-file .rollcall/api-key',
    ],
    [
      { ROLLCALL_URL: 'http://127.0.0.1:1', ROLLCALL_DATA_DIR: '/nonexistent' },
      4,
      'No API key for http://127.0.0.1:1. Set ROLLCALL_API_KEY, or pass a key file. If the service has another data folder, set ROLLCALL_DATA_DIR to it. Example: --api-key-file .rollcall/api-key',
    ],
    [
      { ROLLCALL_URL: 'http://rollcall.invalid', ROLLCALL_API_KEY: 'two words' },
      2,
      'The API key from ROLLCALL_API_KEY contains a space or another invalid character. Store the key alone in its file.',
    ],
    [
      { ROLLCALL_URL: 'http://127.0.0.1:1', ROLLCALL_API_KEY: 'k' },
      5,
      'No response from http://127.0.0.1:1 (bad port). Start the service, or pass its URL. Example: --url http://127.0.0.1:5225',
    ],
    [{ ROLLCALL_URL: 'nonsense' }, 2, 'ROLLCALL_URL must be the URL of a service, not "nonsense". Example: --url http://127.0.0.1:5225'],
    [
      { ROLLCALL_URL: 'http://user:pass@a.example' },
      2,
      'ROLLCALL_URL must not contain a user name or password. Example: --url https://rollcall.example',
    ],
    [{ PORT: 'ninety', ROLLCALL_DATA_DIR: '/nowhere' }, 2, 'PORT must be a port number, not "ninety". Example: PORT=5225'],
  ])('reports %j', async (env, code, message) => {
    expect(await type('stats', env)).toEqual({ code, message, out: '' });
  });
});

describe('a response', () => {
  const context = {
    flags: ['--limit', '--to'],
    baseUrl: 'http://a.example',
    keySource: '--api-key',
    exampleFor: () => 'rollcall users list',
  };
  it.each<[Partial<ClientError>, number, string]>([
    [
      { code: 'invalid_request', message: 'limit must be a whole number.', field: 'limit' },
      2,
      '--limit must be a whole number. Example: rollcall users list',
    ],
    [
      { code: 'invalid_request', message: 'to_sequence is above the last sequence of this directory, 20.', field: 'to_sequence' },
      2,
      '--to is above the last sequence of this directory, 20. Example: rollcall users list',
    ],
    [{ code: 'invalid_request', message: 'A sentence.' }, 1, 'A sentence.'],
    [
      { code: 'unauthorized', message: 'A sentence.' },
      4,
      'The service rejected the API key from --api-key. Pass a valid key. Example: --api-key-file .rollcall/api-key',
    ],
    [{ code: 'not_found', message: 'A sentence.' }, 3, 'A sentence.'],
    [
      { code: 'unreachable', message: 'The service did not respond within 30 s (ETIMEDOUT).' },
      5,
      'No response from http://a.example within 30 s (ETIMEDOUT). Start the service, or pass its URL. Example: --url http://127.0.0.1:5225',
    ],
    [{ code: 'unavailable', message: 'A sentence.', retryAfterSeconds: 3 }, 5, 'A sentence. Try again in 3 s.'],
    [{ code: 'rate_limited', message: 'Try again in 3 s.', retryAfterSeconds: 3 }, 5, 'Try again in 3 s.'],
    [
      { code: 'internal', message: 'Internal error.', requestId: 'the-request' },
      1,
      "Internal error. The service's log has more, under the-request.",
    ],
  ])('reports %j', (response, exitCode, message) => {
    expect(toCommandError(response as ClientError, context)).toMatchObject({ exitCode, message });
  });
});
