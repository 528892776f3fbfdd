import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { DrainDeps } from '../../../src/directory/delivery/drain-deliveries.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createSequenceWatch } from '../../../src/store/deliveries/sequence-watch.ts';
import { openBreakingProxy } from '../../support/breaking-proxy.ts';
import { setUpDrain } from '../../support/drain.ts';

const drained = setUpDrain();
const { push, drain, sequences, endpoint } = drained;

let proxy: Awaited<ReturnType<typeof openBreakingProxy>>;
let db: Knex;
beforeAll(async () => {
  proxy = await openBreakingProxy(drained.url);
});
// A new connection sends the text of each statement.
beforeEach(() => {
  db = openDatabase(proxy.url);
});
afterEach(() => db.destroy());
afterAll(() => proxy?.close());

/** The connection ends once the next statement that concludes or begins an attempt is committed. */
const breakAtNext = () => proxy.breakAt('with held as (', 'response');
const breakAfterFirstRequest = () => {
  drained.respond = ([sequence]) => {
    if (sequence === 1) breakAtNext();
    return 200;
  };
};
const drainLosing = (deps: Partial<DrainDeps> = {}) =>
  expect(drain({ store: drained.createStore(db), ...deps })).rejects.toThrow('Connection terminated');

const attempts = async () => {
  const rows = await drained
    .db('webhook_attempts as a')
    .join('webhook_batches as b', 'b.id', 'a.batch_id')
    .where({ 'b.directory_id': drained.directoryId })
    .orderBy(['b.from_sequence', 'a.number'])
    .select<{ sequence: number; outcome: string }[]>('b.from_sequence as sequence', 'a.outcome');
  return rows.map(({ sequence, outcome }) => `${sequence} ${outcome}`);
};

const cases: [statement: string, lose: () => Promise<void>, attempts: string[]][] = [
  [
    'begins the first attempt',
    async () => {
      await push(2);
      breakAtNext();
      await drainLosing();
    },
    ['1 aborted', '1 success', '2 success'],
  ],
  [
    'concludes an attempt and begins the next',
    async () => {
      await push(2);
      breakAfterFirstRequest();
      await drainLosing();
    },
    ['1 success', '2 aborted', '2 success'],
  ],
  [
    'concludes the last attempt',
    async () => {
      await push(1);
      breakAfterFirstRequest();
      await drainLosing();
      await push(1);
    },
    ['1 success', '2 success'],
  ],
  [
    'begins an attempt after a pause',
    async () => {
      await push(1);
      const watch = createSequenceWatch(drained.db);
      const waitFor: typeof watch.waitFor = async (...args) => {
        await push(1);
        breakAtNext();
        return watch.waitFor(...args);
      };
      await drainLosing({ watch: { ...watch, waitFor }, lingerMs: 1_500 });
    },
    ['1 success', '2 aborted', '2 success'],
  ],
];

it.each(cases)(
  'sends each event once, and counts no crash, if the response to the statement that %s is lost',
  async (_, lose, expected) => {
    await lose();
    expect((await endpoint()).starts).toBe(0);
    drained.respond = () => 200;
    expect(await drain()).toEqual({ kind: 'drained' });
    expect([sequences(), await attempts()]).toEqual([[[1], [2]], expected]);
    expect(await endpoint()).toMatchObject({ acked_sequence: 2, starts: 0 });
  },
);
