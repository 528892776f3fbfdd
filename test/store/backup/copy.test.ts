import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import pg from 'pg';
import { copyOut } from '../../../src/store/backup/copy.ts';
import { cloneDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

/** What the types of `pg` omit. */
type Connected = pg.Client & { connection: { stream: Socket } };

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let client: Connected;
beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.url }) as Connected;
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** A row with its line feed has 1,001 bytes, so that a chunk of 128 KiB has 130 rows. */
const rowsPerChunk = 130;
/** With 33 chunks that nobody has taken, the connection is paused. */
const chunksUntilPaused = 33;

it('answers the next query after a copy whose last rows paused the connection', async () => {
  // The last row of the first chunk that is too many is read together with the end of the copy.
  const { stream } = client.connection;
  let hasPaused = false;
  stream.pause = function () {
    hasPaused = true;
    return Object.getPrototypeOf(this).pause.call(this);
  };
  const fewest = (chunksUntilPaused + 1) * rowsPerChunk + 1;
  for (let rows = fewest; rows < fewest + 20; rows += 1) {
    const copied = copyOut(client, `copy (select repeat('x', 1000) from generate_series(1, ${rows})) to stdout`);
    const first = await copied.next();
    let bytes = (first.value as Buffer).length;
    await until(() => hasPaused);
    hasPaused = false;
    for await (const chunk of copied) bytes += chunk.length;
    expect(bytes).toBe(rows * 1_001);
    const answer = await client.query<{ one: number }>('select 1 as one');
    expect(answer.rows).toEqual([{ one: 1 }]);
  }
}, 60_000);
