import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { runCommandLine } from '../../src/cli/run.ts';
import type { Shell } from '../../src/cli/shell.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';

/** Looked at in this process: nothing that was mistyped gets as far as a service. */
async function type(line: string) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const shell = { env: {}, stdin: process.stdin, stdout, stderr } as unknown as Shell;
  const code = await runCommandLine(line.split(' ').filter(Boolean), shell);
  return { code, said: `${stderr.read() ?? ''}`.trim(), out: `${stdout.read() ?? ''}` };
}

const create = 'rollcall directories create --tenant acme --product crm --type okta-scim-v2';

/** No service and no key are there: what is mistyped is told first. */
describe('what was mistyped is named, with the nearest right word and an example', () => {
  it.each([
    ['directories create --tenent acme', `Unknown option --tenent. Did you mean --tenant? Example: ${create}`],
    [
      'directories create --tenant acme --product crm --webhok-url=https://a.example',
      'Unknown option --webhok-url. Did you mean --webhook-url? Example: rollcall directories create --tenant acme --product crm --webhook-url https://app.example/hooks --json',
    ],
    ['directories create', `rollcall directories create wants --tenant and --product. Example: ${create}`],
    ['directories create --tenant acme', `rollcall directories create wants --product. Example: ${create}`],
    ['directories create --tenant --product crm', `--tenant wants a value: --tenant <tenant>. Example: ${create}`],
    ['directories create --product crm --tenant', `--tenant wants a value: --tenant <tenant>. Example: ${create}`],
    [
      'directories create --type okta',
      expect.stringMatching(/^--type must be one of azure-scim-v2, .+, not “okta”\. Did you mean okta-scim-v2\? Example: /),
    ],
    [
      'directories create --tenant Acme Corp --product crm',
      expect.stringMatching(/takes no arguments: “Corp” is too much\. Put quotes around what has spaces in it\./),
    ],
    [
      'directory list',
      expect.stringMatching(/^There is no command directory\. Did you mean directories\? .+ Example: rollcall help directories$/),
    ],
    ['dirs', expect.stringMatching(/^There is no command dirs\..* Example: rollcall help$/)],
    [
      'directories lst',
      expect.stringMatching(
        /^rollcall directories has no command lst\. Did you mean list\? It has create, list, .+ Example: rollcall directories list$/,
      ),
    ],
    [
      'directories get',
      expect.stringMatching(/^rollcall directories has no command get\. Did you mean show\? .+ Example: rollcall directories show \S+$/),
    ],
    ['directories', expect.stringMatching(/^rollcall directories wants a command: create, list, .+ Example: rollcall help directories$/)],
    [
      'directories list --tenant acme',
      'rollcall directories list wants --product. Example: rollcall directories list --tenant acme --product crm',
    ],
    ['directories show', `rollcall directories show wants <directory>. Example: rollcall directories show ${id}`],
    [
      'directories show acme',
      expect.stringMatching(/^<directory> must be an id like [0-9a-f-]{36}, not “acme”: `rollcall directories list` shows ids\. Example: /),
    ],
    ['deliveries show', expect.stringMatching(/^rollcall deliveries show wants <directory> and <delivery>\. Example: /)],
    [`deliveries show ${id} msg_1`, expect.stringMatching(/^<delivery> must be an id like msg_\w+, not “msg_1”/)],
    [`deliveries list ${id} --status failed`, expect.stringMatching(/^--status must be one of pending, delivered, .+, not “failed”/)],
    [
      'users list --limit many',
      expect.stringMatching(
        /^--limit must be a whole number from 1 to 1000, like 50, not “many”\. Example: rollcall users list --tenant acme --product crm --limit 50$/,
      ),
    ],
    ['users list --limit 5 --all', expect.stringMatching(/^--all and --limit exclude each other: give one of them\. Example: /)],
    [
      'events tail --since yesterday',
      expect.stringMatching(
        /^--since must be a time like 2026-\S+, or how long ago like 15m, 2h or 1d, not “yesterday”\. Example: rollcall events tail --since 15m /,
      ),
    ],
    [
      'events list --types user.create,group.deleted',
      expect.stringMatching(/^--types must be one of .+, not “user\.create”\. Did you mean user\.created\?/),
    ],
    [
      'directories create --webhook-url app.example',
      expect.stringMatching(/^--webhook-url must be an address like https:\/\/app\.example\/hooks, not “app\.example”\. Example: /),
    ],
    [
      '--json directories list',
      expect.stringMatching(/^Unknown option --json before the command: options come after it\. Example: rollcall stats --json$/),
    ],
    ['completion tcsh', expect.stringMatching(/^<shell> must be one of bash, zsh, fish, not “tcsh”\. Example: /)],
    [
      'help directories lst',
      expect.stringMatching(/^rollcall directories has no command lst\. Did you mean list\? Example: rollcall help directories list$/),
    ],
    ['start --port 80', expect.stringMatching(/^Unknown option --port\. .+ Example: rollcall start$/)],
    [
      'users list --url localhost:5225 --product crm --tenant acme',
      expect.stringMatching(/^--url must be the address of a service, not “localhost:5225”\. Example: --url http:\/\//),
    ],
    ['stats --api-key-file /nowhere/key', expect.stringMatching(/^--api-key-file \/nowhere\/key can't be read \(ENOENT\)\. Example: /)],
    ['doctor --tenant acme', expect.stringMatching(/^--tenant wants --product beside it\. Example: /)],
  ])('rollcall %s', async (line, sentence) => {
    expect(await type(line)).toEqual({ code: 2, said: sentence, out: '' });
  });

  it.each([
    [`users list --tenant acme`, /^Where to look is not said: --product or --directory is missing\. Example: /],
    [`events list --tenant acme`, /^--tenant and --product belong together: --product is missing\. Example: /],
    [`directories update ${id}`, /^rollcall directories update wants something to change, such as --name or --webhook-url\. Example: /],
    [`replay ${id}`, /^Which events are meant is not said: give one of event ids; --from and --to; .+ Example: /],
    [`replay ${id} --from 3`, /^--from and --to belong together: --to is missing\. Example: /],
    [`replay ${id} --from 3 --to 2`, /^--to must not be less than --from\. Example: /],
    [`replay ${id} --from 3 --to 9 --failed`, /^--from and --to and --failed exclude each other: give one of them\. Example: /],
    [`replay ${id} --until 1h`, /^--until wants --since beside it\. Example: rollcall replay \S+ --since 2h /],
    [`sync`, /^rollcall sync wants <directory>, or --all\. Example: /],
    [`sync ${id} --all`, /^<directory> and --all exclude each other: give one of them\. Example: /],
  ])('rollcall %s', async (line, sentence) => {
    expect(await type(line)).toEqual({ code: 2, said: expect.stringMatching(sentence), out: '' });
  });
});
