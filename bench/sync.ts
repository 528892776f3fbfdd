import { measureLarge } from './sync/large.ts';
import { measureSmall } from './sync/small.ts';
import type { WorldSize } from './sync/world.ts';
import type { Closing } from './support/closing.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { wantProc } from './support/processes.ts';
import { startServers } from './support/servers.ts';

const mostUsers = 100_000;
const small = { users: 5000, groups: 100, members: 40 };

const introduction = `
A Google Workspace read through its API, which a process on this machine plays without delay, until everything is stored; then the same
once more with nothing changed. Rollcall is what \`npm start\` runs, one process for everything, on Postgres (fsync on, default settings)
and Temporal's development server. Its memory is what the kernel saw it have resident at most, against what it had at rest right after
its start.
Polis is @boxyhq/saml-jackson 26.2.0 behind a bare HTTP server, in the same Postgres. It reads the same API without encryption,
and keeps no event.
`;

/** Returns the raw figures. */
export async function measureSync(options: Options, closing: Closing): Promise<object> {
  wantProc();
  const machine = introduce(introduction);
  const servers = await startServers(closing);
  const { sides, rounds } = options;
  const users = Math.min(options.users, mostUsers);
  const large = sides.includes('rollcall') ? await measureLarge(servers, makeSize(users), closing) : undefined;
  const versus = await measureSmall(servers, { size: { ...small, users: Math.min(users, small.users) }, sides, rounds }, closing);
  return { machine, options, large, versus };
}

/** However many users: each in five groups, and a group for fifty of them. */
const makeSize = (users: number): WorldSize => ({ users, groups: Math.max(1, Math.round(users / 50)), members: Math.min(users, 250) });
