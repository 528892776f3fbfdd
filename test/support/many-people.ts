import type { People } from './csv-directory.ts';
import { changed } from './pulled-directories.ts';

/** More than one batch of users. */
const userCount = 1_010;
const groupCount = 5;

export const createManyPeople = (): People => ({
  users: new Map(Array.from({ length: userCount }, (_, index) => [`u${index}`, { email: `u${index}@acme.example`, active: true }])),
  groups: new Map(Array.from({ length: groupCount }, (_, index) => [`g${index}`, `Group ${index}`])),
  members: new Set(Array.from({ length: userCount }, (_, index) => `g${index % groupCount} u${index}`)),
});
export const manyPeopleEventCount = userCount + groupCount + userCount;
/** `changed` of the first run. */
export const manyPeopleChanges = changed({ users: [userCount, 0, 0], groups: [groupCount, 0, 0], members: [userCount, 0] });
