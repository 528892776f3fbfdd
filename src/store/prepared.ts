/** For a statement that every change runs: Postgres parses and plans it once for each connection. */
export const prepared = (name: string) => ({ name: `rollcall-${name}` });
