import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import type { TellOperator } from '../operator-events.ts';
import type { SecretColumns } from '../secret-columns.ts';
import { createClearContent } from './clear-content.ts';
import { createRecordFailure } from './record-failure.ts';
import { createFindForgotten, createUnwake, createWakeBacklogs } from './wake-flags.ts';
import { readBody } from './open-batch.ts';
import { readEvents } from './read-events.ts';
import { createFinishReplay } from './finish-replay.ts';
import { createEndWatch, createStartWatch } from './start-watch.ts';
import { countStart, createDisable, forgiveStarts } from './lane-starts.ts';
import { takeLane } from './take-lane.ts';
import { createConcludeAndBeginAttempt } from './conclude-and-begin-attempt.ts';

export interface DeliveryStoreDeps {
  db: Knex;
  secretColumns: SecretColumns;
  tellOperator: TellOperator;
  inBatches: boolean;
}

export const createDeliveryStore = ({ db, secretColumns, tellOperator, inBatches }: DeliveryStoreDeps): DeliveryStore => ({
  takeLane: takeLane(db),
  countStart: countStart(db),
  forgiveStarts: forgiveStarts(db),
  disable: createDisable(db, tellOperator),
  readEvents: readEvents(db),
  readBody: readBody(db),
  turn: createConcludeAndBeginAttempt(db, secretColumns),
  fail: createRecordFailure(db, secretColumns, tellOperator),
  clearContent: createClearContent(db),
  rest: createStartWatch(db),
  endWatch: createEndWatch(db),
  finishReplay: createFinishReplay(db),
  findForgotten: createFindForgotten(db, { inBatches }),
  wakeBacklogs: createWakeBacklogs(db),
  unwake: createUnwake(db),
});
