import { measureLarge } from './sync/large.ts';
import { measureSmall } from './sync/small.ts';
import { makeSize } from './sync/world.ts';
import type { Closing } from './support/closing.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { assertProc } from './support/processes.ts';
import { startServers } from './support/servers.ts';

const small = { users: 5000, groups: 100, members: 40 };

const introduction = `
The first sync of a Google Workspace until everything is stored, and a sync without changes. A process on this machine plays Google's API
without delay. Rollcall runs as with \`npm start\`: one process for everything, on Postgres (fsync on, default settings) and Temporal's
development server. Its memory is the peak resident size that the kernel reports, compared with the idle size right after the start.
Polis is @boxyhq/saml-jackson 26.2.0 behind a bare HTTP server, in the same Postgres. It reads the same API without encryption, and stores
no event.
`;

export async function measureSync(options: Options, closing: Closing): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const servers = await startServers(closing);
  const { sides, rounds } = options;
  const size = makeSize(options.users);
  const large = sides.includes('rollcall') ? await measureLarge(servers, size, closing) : undefined;
  const versus = await measureSmall(servers, { size: { ...small, users: Math.min(size.users, small.users) }, sides, rounds }, closing);
  return { machine, options, large, versus };
}
