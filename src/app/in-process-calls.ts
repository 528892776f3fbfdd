import type { DeliveryLog, ListQueuedEvents } from '../directory/delivery/delivery-log.ts';
import type { Intake } from '../directory/ports.ts';

/** What the library calls without a request. */
export interface InProcessCalls {
  submit: Intake['submit'];
  deliveryLog: Pick<DeliveryLog, 'record' | 'dropEvent'>;
  listQueuedEvents: ListQueuedEvents;
}
