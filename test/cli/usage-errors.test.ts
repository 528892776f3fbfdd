import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { runCommandLine } from '../../src/cli/run.ts';
import type { Shell } from '../../src/cli/shell.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';

/** Runs in this process: invalid input never reaches a service. */
async function type(line: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shell = { env: {}, stdin: process.stdin, stdout, stderr } as unknown as Shell;
  const code = await runCommandLine(line.split(' ').filter(Boolean), shell);
  return { code, message: `${stderr.read() ?? ''}`.trim(), out: `${stdout.read() ?? ''}` };
}

const create = 'rollcall directories create --tenant acme --product crm --type okta-scim-v2';

/** There is neither a service nor an API key: usage errors are reported first. */
describe('a usage error names the argument, suggests the right word and shows an example', () => {
  it.each([
    ['directories create --tenent acme', `Unknown option --tenent. Did you mean --tenant? Example: ${create}`],
    [
      'directories create --tenant acme --product crm --webhok-url=https://a.example',
      'Unknown option --webhok-url. Did you mean --webhook-url? Example: rollcall directories create --tenant acme --product crm --webhook-url https://app.example/hooks --json',
    ],
    ['directories create', `directories create requires --tenant and --product. Example: ${create}`],
    ['directories create --tenant acme', `directories create requires --product. Example: ${create}`],
    ['directories create --tenant --product crm', `--tenant requires a value: --tenant <tenant>. Example: ${create}`],
    ['directories create --product crm --tenant', `--tenant requires a value: --tenant <tenant>. Example: ${create}`],
    [
      'directories create --type okta',
      expect.stringMatching(/^--type must be one of azure-scim-v2, .+, not "okta"\. Did you mean okta-scim-v2\? Example: /),
    ],
    [
      'directories create --tenant Acme Corp --product crm',
      expect.stringMatching(/takes no arguments; remove "Corp"\. Quote values that contain spaces\./),
    ],
    [
      'directory list',
      expect.stringMatching(/^Unknown command: directory\. Did you mean directories\? .+ Example: rollcall help directories$/),
    ],
    ['dirs', expect.stringMatching(/^Unknown command: dirs\..* Example: rollcall help$/)],
    [
      'directories lst',
      expect.stringMatching(
        /^Unknown command: directories lst\. Did you mean list\? Available: create, list, .+ Example: rollcall directories list$/,
      ),
    ],
    [
      'directories get',
      expect.stringMatching(/^Unknown command: directories get\. Did you mean show\? .+ Example: rollcall directories show \S+$/),
    ],
    ['directories', expect.stringMatching(/^directories requires a command: create, list, .+ Example: rollcall help directories$/)],
    ['directories list --tenant acme', '--tenant requires --product. Example: rollcall directories list --tenant acme --product crm'],
    ['directories show', `directories show requires <directory>. Example: rollcall directories show ${id}`],
    [
      'directories show acme',
      expect.stringMatching(
        /^<directory> must be an ID such as [0-9a-f-]{36}, not "acme"\. Run `rollcall directories list` to find IDs\. Example: /,
      ),
    ],
    ['deliveries show', expect.stringMatching(/^deliveries show requires <directory> and <delivery>\. Example: /)],
    [`deliveries show ${id} msg_1`, expect.stringMatching(/^<delivery> must be an ID such as msg_\w+, not "msg_1"/)],
    [`deliveries list ${id} --status failed`, expect.stringMatching(/^--status must be one of pending, delivered, .+, not "failed"/)],
    [
      'users list --limit many',
      expect.stringMatching(
        /^--limit must be a whole number from 1 to 1000, not "many"\. Example: rollcall users list --tenant acme --product crm --limit 50$/,
      ),
    ],
    ['users list --limit 5 --all', expect.stringMatching(/^--all and --limit cannot be used together\. Example: /)],
    [
      'events tail --since yesterday',
      expect.stringMatching(
        /^--since must be a time such as 2026-\S+, or a duration ago such as 15m, 2h or 1d, not "yesterday"\. Example: rollcall events tail --since 15m /,
      ),
    ],
    [
      'events list --types user.create,group.deleted',
      expect.stringMatching(/^--types must be one of .+, not "user\.create"\. Did you mean user\.created\?/),
    ],
    [
      'directories create --webhook-url app.example',
      expect.stringMatching(/^--webhook-url must be a URL such as https:\/\/app\.example\/hooks, not "app\.example"\. Example: /),
    ],
    ['completion tcsh', expect.stringMatching(/^<shell> must be one of bash, zsh, fish, not "tcsh"\. Example: /)],
    [
      'help directories lst',
      expect.stringMatching(/^Unknown command: directories lst\. Did you mean list\? Example: rollcall help directories list$/),
    ],
    ['start --port 80', expect.stringMatching(/^Unknown option --port\. .+ Example: rollcall start$/)],
    [
      'users list --url localhost:5225 --product crm --tenant acme',
      expect.stringMatching(/^--url must be the URL of a service, not "localhost:5225"\. Example: --url http:\/\//),
    ],
    ['stats --api-key-file /nowhere/key', expect.stringMatching(/^Cannot read --api-key-file \/nowhere\/key \(ENOENT\)\. Example: /)],
    ['doctor --tenant acme', expect.stringMatching(/^--tenant requires --product\. Example: /)],
  ])('rollcall %s', async (line, message) => {
    expect(await type(line)).toEqual({ code: 2, message, out: '' });
  });

  it.each([
    [`users list --tenant acme`, /^Specify --directory, or --tenant and --product\. Example: /],
    [`events list --tenant acme`, /^--tenant requires --product\. Example: /],
    [`directories update ${id}`, /^Specify at least one setting to change, such as --name or --webhook-url\. Example: /],
    [`replay ${id}`, /^Specify the events to resend: event IDs, --from and --to, .+ or --missing\. Example: /],
    [`replay ${id} --from 3`, /^--from requires --to\. Example: /],
    [`replay ${id} --from 3 --to 2`, /^--to must not be less than --from\. Example: /],
    [`replay ${id} --from 3 --to 9 --failed`, /^Cannot combine --from and --to with --failed\. Example: /],
    [`replay ${id} --until 1h`, /^--until requires --since\. Example: rollcall replay \S+ --since 2h /],
    [`sync`, /^Specify <directory> or --all\. Example: /],
    [`sync ${id} --all`, /^<directory> and --all cannot be used together\. Example: /],
  ])('rollcall %s', async (line, pattern) => {
    expect(await type(line)).toEqual({ code: 2, message: expect.stringMatching(pattern), out: '' });
  });
});

describe('an option before the command', () => {
  it.each([
    ['--url localhost:5225 directories list', /^--url must be the URL of a service, not "localhost:5225"\./],
    ['directories --url localhost:5225 list', /^--url must be the URL of a service, not "localhost:5225"\./],
    ['--url=localhost:5225 stats --json', /^--url must be the URL of a service, not "localhost:5225"\./],
    ['--url ignored --json stats --url localhost:5225', /^--url must be the URL of a service, not "localhost:5225"\./],
    ['--api-key-file /nowhere/key stats', /^Cannot read --api-key-file \/nowhere\/key \(ENOENT\)\./],
  ])('counts: rollcall %s', async (line, pattern) => {
    expect(await type(line)).toEqual({ code: 2, message: expect.stringMatching(pattern), out: '' });
  });

  it.each([
    ['--limit 5 users list', /^Unknown option --limit before the command\. Only --wide, --json, .+ can come before it\. Example: /],
    ['--ulr http://a.example stats', /^Unknown option --ulr\. Did you mean --url\? Example: rollcall --url \S+ directories list$/],
    ['--url http://a.example start', /^start does not take --url\. Example: rollcall start$/],
    ['--wide stats', /^stats does not take --wide\. Example: rollcall stats$/],
    ['--url --json stats', /^--url requires a value: --url <url>\. Example: /],
    ['--url directories list', /^--url requires a value: --url <url>\. Example: /],
  ])('is rejected where it does not belong: rollcall %s', async (line, pattern) => {
    expect(await type(line)).toEqual({ code: 2, message: expect.stringMatching(pattern), out: '' });
  });
});
