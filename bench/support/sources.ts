import type { BenchDirectory } from './directories.ts';
import type { Source } from './load.ts';
import { createUser, makeUser, nextTag, patchUser, type MadeUser } from './users.ts';

/** A new user each time, in one directory after the other. */
export function creating(directories: BenchDirectory[]): Source {
  let sent = 0;
  return () => createUser(directories[(sent += 1) % directories.length]!, makeUser(nextTag()));
}

/** Each writer turns users of its own off and on again, one after the other: every request is a change. */
export function switching(usersOfWriters: MadeUser[][]): Source {
  const turns = usersOfWriters.map(() => 0);
  return (writer) => {
    const users = usersOfWriters[writer]!;
    const turn = turns[writer]!;
    turns[writer] = turn + 1;
    const active = Math.floor(turn / users.length) % 2 === 1;
    return patchUser(users[turn % users.length]!, { op: 'replace', value: { active } });
  };
}
