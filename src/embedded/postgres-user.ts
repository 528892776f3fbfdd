import { chmod, chown, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError } from '../errors.ts';
import { type SpawnAs, runCommand } from './processes.ts';

/** How to run Postgres as an unprivileged user: it does not run as root. */
export interface PostgresUser {
  prefix: string[];
  spawnAs: SpawnAs;
  /** The owner of its files, if this process is root. */
  owner?: { uid: number; gid: number };
}

/** The user and group `nobody`. */
const unprivilegedId = 65_534;

/** The best comes first. With the first two, Postgres can also enter folders that only root may enter. */
const rootStrategies: PostgresUser[] = [
  {
    prefix: ['unshare', '--user', `--map-user=${unprivilegedId}`, `--map-group=${unprivilegedId}`, '--'],
    spawnAs: {},
    owner: { uid: 0, gid: 0 },
  },
  {
    prefix: [
      'setpriv',
      `--reuid=${unprivilegedId}`,
      `--regid=${unprivilegedId}`,
      '--clear-groups',
      '--inh-caps=+dac_override',
      '--ambient-caps=+dac_override',
      '--',
    ],
    spawnAs: {},
    owner: { uid: unprivilegedId, gid: unprivilegedId },
  },
  { prefix: [], spawnAs: { uid: unprivilegedId, gid: unprivilegedId }, owner: { uid: unprivilegedId, gid: unprivilegedId } },
];

/** Selects the strategy that works here. `probe` is a program of the installation that the user must be able to run. */
export async function selectPostgresUser(probe: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return { prefix: [], spawnAs: {} };
  for (const way of rootStrategies) {
    const { code } = await runCommand([...way.prefix, probe, '--version'], way.spawnAs);
    if (code === 0) return way;
  }
  throw new StartupError(
    `Postgres does not run as root, and an unprivileged user cannot run ${probe}: run Rollcall as an unprivileged user, move it to a folder that every user can enter, or set DATABASE_URL.`,
  );
}

/** Also transfers the files of earlier starts under another user. */
export async function transferOwnership(path: string, { prefix, owner }: PostgresUser): Promise<void> {
  if (owner === undefined) return;
  if ((await stat(path)).uid !== owner.uid) await runCommand(['chown', '-R', `${owner.uid}:${owner.gid}`, path]);
  const parent = dirname(path);
  const { mode, uid } = await stat(parent);
  // Execute permission only: the content of the data folder has its own permissions.
  if (prefix.length === 0 && uid === 0 && (mode & 0o777) === 0o700) await chmod(parent, 0o711);
}

export async function transferFileOwnership(file: string, { owner }: PostgresUser): Promise<void> {
  if (owner !== undefined) await chown(file, owner.uid, owner.gid);
}
