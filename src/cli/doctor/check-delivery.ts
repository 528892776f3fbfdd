import { createClient, type DeliveryState } from '../../client/index.ts';
import type { Connection } from '../connection.ts';
import { pluralize, shortTime } from '../output/format.ts';
import { createFindings, type Finding } from './findings.ts';

const { problem, warning } = createFindings('Webhook');

/** A receiver that responds now may still have events waiting: the schedule of retries is long, and a disabled delivery sends nothing. */
export async function checkDelivery(directoryId: string, connection: Connection, signal: AbortSignal): Promise<Finding[]> {
  const { data } = await createClient(connection).deliveries.state(directoryId, { signal });
  return data ? describeDelivery(directoryId, data) : [];
}

function describeDelivery(directoryId: string, { status, backlog, open, first_failure_at: since }: DeliveryState): Finding[] {
  const waiting = `${pluralize(backlog, 'event')} ${backlog === 1 ? 'waits' : 'wait'}`;
  switch (status) {
    case 'failing':
      return [
        warning(
          `Delivery has been failing since ${shortTime(since)}; ${waiting}.`,
          open
            ? `The reason: rollcall deliveries show ${directoryId} ${open.id}. To retry now: rollcall deliveries retry ${directoryId} ${open.id}`
            : "Check the receiver's log.",
        ),
      ];
    case 'paused':
      return [warning(`Delivery is paused; ${waiting}.`, `To continue: rollcall deliveries resume ${directoryId}`)];
    case 'disabled':
    case 'misconfigured':
      return [problem(`Delivery is ${status}; ${waiting}.`, `After a fix: rollcall deliveries resume ${directoryId} --from backlog`)];
    case 'active':
    case 'no_webhook':
      return [];
  }
}
