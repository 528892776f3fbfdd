import { createHash } from 'node:crypto';

interface Prepared {
  name: string;
  uses: number;
}

const statements = new Map<string, Prepared>();
/** After so many uses a statement is planned anew: the tables of a new database grow from nothing, and a plan made then reads them all. */
const replanAfter = [50, 500, 5_000];

/** For a statement that every change runs: Postgres parses and plans it once for each connection. */
export function prepared(name: string): { name: string } {
  let statement = statements.get(name);
  if (!statement) statements.set(name, (statement = { name: shorten(name), uses: 0 }));
  statement.uses += 1;
  const { uses } = statement;
  return { name: `${statement.name}-${replanAfter.filter((limit) => uses > limit).length}` };
}

/** Postgres cuts names at 63 bytes. */
const shorten = (name: string) => `rollcall-${name.length > 40 ? createHash('sha256').update(name).digest('hex').slice(0, 40) : name}`;
