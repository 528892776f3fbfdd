import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/paths.ts';
import { installPolis } from '../../bench/support/install.ts';

/** Where the packages of Polis are found. */
const folder = join(packageRoot, 'bench/polis/node_modules/.call-types');

const parts = ['directories', 'users', 'groups', 'webhookLogs', 'requests', 'google'];

/** Types that applications import by name. What they get has one of Rollcall's, which can be used as that of Polis. */
const returned = [
  'User',
  'Group',
  'UserWithGroup',
  'GroupMembership',
  'Directory',
  'DirectorySyncResponse',
  'DirectorySyncEvent',
  'DirectorySyncEventData',
  'DirectorySyncEventType',
];
/** What they give may have that of Polis. */
const given = ['DirectoryType', 'DirectorySyncRequest', 'EventCallback', 'PaginationParams'];

/** The objects whose calls are compared below. */
const objects = ['IDirectoryConfig', 'IUsers', 'IGroups', 'IWebhookEventsLogger', 'IEventProcessor', 'IDirectorySyncController'];

/** Of the log, `created_at` is text, as Polis returns it in spite of its type. Queued events of a batch have other types of their fields. */
const known: Record<string, string> = {
  webhookLogs: "'result of get' | 'result of getAll' | 'result of log'",
  batch: "'result of fetchNextBatch' | 'result of push'",
};

/** `store` and `createOAuth2Client` are internals of Polis, and `setTenantAndProduct` returns an object of its own kind. */
const program = `
import type { IDirectorySyncController as Polis } from '@boxyhq/saml-jackson';
import type { IDirectorySyncController as Rollcall } from '../../../../dist/src/jackson/index.js';
import type * as ofPolis from '@boxyhq/saml-jackson';
import type * as ofRollcall from '../../../../dist/src/jackson/index.js';

type Call = (...args: any[]) => any;
type Calls<T> = Omit<{ [Name in keyof T as T[Name] extends Call ? Name : never]: T[Name] }, 'store' | 'setTenantAndProduct' | 'createOAuth2Client'>;
type Unlike<P, R> = { [Name in keyof Calls<P>]: Name extends keyof R
  ? [Calls<P>[Name], R[Name]] extends [infer One extends Call, infer Other extends Call]
    ? Parameters<One> extends Parameters<Other>
      ? Awaited<ReturnType<Other>> extends Awaited<ReturnType<One>> ? never : \`result of \${Name & string}\`
      : \`parameters of \${Name & string}\`
    : \`\${Name & string} is no function\`
  : \`\${Name & string} is missing\` }[keyof Calls<P>];
${parts.map((part) => `export const ${part}: [Unlike<Polis['${part}'], Rollcall['${part}']>] = [undefined as never];`).join('\n')}
export const own: [Unlike<Polis, Rollcall>] = [undefined as never];
export const batch: [Unlike<Polis['events']['batch'], Rollcall['events']['batch']>] = [undefined as never];
${returned.map((name) => `({}) as unknown as ofRollcall.${name} satisfies ofPolis.${name};`).join('\n')}
${given.map((name) => `({}) as unknown as ofPolis.${name} satisfies ofRollcall.${name};`).join('\n')}
export type Objects = [${objects.flatMap((name) => [`ofPolis.${name}`, `ofRollcall.${name}`]).join(', ')}];
// Whatever is not as in Polis is an error here, and so is a known difference that is gone.
${[...parts, 'own', 'batch'].map((part) => `${part} satisfies [${known[part] ?? 'never'}];\n({} as { known: ${known[part] ?? 'never'} }) satisfies { known: (typeof ${part})[0] };`).join('\n')}
`;

beforeAll(async () => {
  installPolis();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'calls.ts'), program);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('each call has the parameters of Polis, and a result and types that can be used as those of Polis', async () => {
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig'];
  const settings = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const tsc = join(packageRoot, 'node_modules/.bin/tsc');
  const failed = await promisify(execFile)(tsc, [...flags, ...settings, join(folder, 'calls.ts')], { cwd: packageRoot }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
  expect(failed).toBe('');
}, 120_000);
