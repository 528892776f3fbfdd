import type { Knex } from 'knex';
import type { DeliveryStore } from '../../directory/delivery/ports.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';
import { createDeleteDeliveredBodies } from './delete-delivered-bodies.ts';
import { countStart, createDisable, createRecordFailure, uncountStarts } from './record-failure.ts';
import { createFinishReplay } from './finish-replay.ts';
import { readEvents } from './read-events.ts';
import { createStopWatching, createFindStalled, createLowerWakeFlags, createGoIdle, createWakeBacklogs } from './wake-flags.ts';
import { readBody, takeLane } from './take-lane.ts';
import { createTakeTurns } from './conclude-and-begin-attempt.ts';

export interface DeliveryStoreDeps {
  db: Knex;
  secretColumns: SecretColumns;
  emitOperatorEvent: EmitOperatorEvent;
  inBatches: boolean;
}

export const createDeliveryStore = ({ db, secretColumns, emitOperatorEvent, inBatches }: DeliveryStoreDeps): DeliveryStore => ({
  takeLane: takeLane(db),
  countStart: countStart(db),
  uncountStarts: uncountStarts(db),
  disable: createDisable(db, emitOperatorEvent),
  readEvents: readEvents(db),
  readBody: readBody(db),
  ...createTakeTurns(db, secretColumns),
  recordFailure: createRecordFailure(db, secretColumns, emitOperatorEvent),
  deleteDeliveredBodies: createDeleteDeliveredBodies(db),
  goIdle: createGoIdle(db),
  stopWatching: createStopWatching(db),
  finishReplay: createFinishReplay(db),
  findStalled: createFindStalled(db, { inBatches }),
  wakeBacklogs: createWakeBacklogs(db),
  lowerWakeFlags: createLowerWakeFlags(db),
});
