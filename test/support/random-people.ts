import type { People } from './csv-directory.ts';
import type { createSeededRandom } from './seed.ts';

/** Changes a user, a group or a membership, so that the files stay right. */
export function changeRandomly({ users, groups, members }: People, random: ReturnType<typeof createSeededRandom>): void {
  const user = `u${random.below(12)}`;
  const group = `g${random.below(5)}`;
  switch (random.below(6)) {
    case 0:
    case 1:
      users.set(user, { email: `${user}${random.below(2)}@acme.example`, active: random.below(3) > 0, department: `d${random.below(2)}` });
      break;
    case 2:
      groups.set(group, `Group ${random.below(3)}`);
      break;
    case 3:
      if (users.has(user) && groups.has(group)) members.add(`${group} ${user}`);
      break;
    case 4:
      if (users.size > 1) users.delete(user);
      for (const member of members) if (member.endsWith(` ${user}`) && !users.has(user)) members.delete(member);
      break;
    default:
      groups.delete(group);
      for (const member of members) if (member.startsWith(`${group} `)) members.delete(member);
  }
}
