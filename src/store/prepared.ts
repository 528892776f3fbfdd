import { createHash } from 'node:crypto';

const names = new Map<string, string>();

/** For a statement that every change runs: Postgres parses and plans it once for each connection. It cuts names at 63 bytes. */
export function prepared(name: string): { name: string } {
  const known = names.get(name);
  if (known !== undefined) return { name: known };
  const short = `rollcall-${name.length > 40 ? createHash('sha256').update(name).digest('hex').slice(0, 40) : name}`;
  names.set(name, short);
  return { name: short };
}
