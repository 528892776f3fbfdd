import type { Person } from './provider.ts';

const names = [
  ['Ada', 'Lovelace', 'Analyst'],
  ['Grace', 'Hopper', 'Engineer'],
  ['Alan', 'Turing', 'Researcher'],
  ['Katherine', 'Johnson', 'Mathematician'],
  ['Edsger', 'Dijkstra', 'Engineer'],
  ['Barbara', 'Liskov', 'Architect'],
  ['Dennis', 'Ritchie', 'Engineer'],
  ['Margaret', 'Hamilton', 'Director'],
] as const;

/** The same people each time, so that a second run finds those of the first. */
export function listPeople(count: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const [givenName, familyName, title] = names[index % names.length]!;
    const round = Math.floor(index / names.length);
    const suffix = round === 0 ? '' : String(round + 1);
    return {
      givenName,
      familyName: `${familyName}${suffix && ` ${suffix}`}`,
      email: `${givenName}.${familyName}${suffix}@example.com`.toLowerCase(),
      title,
    };
  });
}
