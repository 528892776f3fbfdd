import { createHash } from 'node:crypto';

/** For a statement that every change runs: Postgres parses and plans it once for each connection. It cuts names at 63 bytes. */
export const prepared = (name: string) => ({ name: `rollcall-${name.length > 40 ? digest(name) : name}` });

const digest = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 40);
