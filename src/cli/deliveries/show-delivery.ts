import type { Context } from '../add-command.ts';
import { shortTime } from '../times.ts';
import { inRange } from './list-deliveries.ts';

export async function showDelivery({ args: [directory, id], options, client, ask, print }: Context) {
  const delivery = await ask(client.deliveries.get(directory!, id!));
  if (options.json) return print.json(delivery);
  print.fields([
    ['Delivery', delivery.id],
    ['Directory', delivery.directory_id],
    ['Kind', delivery.kind],
    ['Status', delivery.status],
    ['Event no.', inRange(delivery)],
    ['Made', shortTime(delivery.created_at)],
    ['Next attempt', shortTime(delivery.next_attempt_at)],
    ['Ended', shortTime(delivery.done_at)],
    ['Body', delivery.body ?? 'not kept'],
  ]);
  if (delivery.attempt_log.length === 0) return undefined;
  print.line();
  return print.table(
    [
      { title: 'No.', value: ({ number }) => number, alignRight: true },
      { title: 'Time', value: ({ started_at: at }) => shortTime(at) },
      { title: 'Outcome', value: ({ outcome }) => outcome },
      { title: 'Answer', value: ({ status_code: status }) => status, alignRight: true },
      { title: 'ms', value: ({ timings }) => timings?.total_ms, alignRight: true },
      { title: 'Why', value: ({ error }) => error, mayShrink: true },
    ],
    delivery.attempt_log,
  );
}
