import type { Context } from '../add-command.ts';
import type { Delivery } from '../../client/index.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';
import { shortTime } from '../times.ts';

interface Options extends PageOptions {
  status?: Delivery['status'];
  kind?: Delivery['kind'];
}

export async function listDeliveries({ args: [id], options, client, ask, print }: Context<Options>) {
  const { status, kind } = options;
  const deliveries = await listPages((page) => ask(client.deliveries.list(id!, { status, kind, ...page })), options);
  if (options.json) return print.json(deliveries);
  if (deliveries.length > 0)
    print.table(
      [
        { title: 'Id', value: (one) => one.id },
        { title: 'Made', value: ({ created_at: at }) => shortTime(at) },
        { title: 'Kind', value: (one) => one.kind },
        { title: 'Status', value: (one) => one.status },
        { title: 'No.', value: inRange, alignRight: true },
        { title: 'Attempts', value: ({ attempts }) => attempts, alignRight: true },
        { title: 'Next', value: ({ next_attempt_at: at }) => shortTime(at) },
      ],
      deliveries,
    );
  return noteExtent(print, deliveries.length, 'deliveries', options);
}

export const inRange = ({ from_sequence: from, to_sequence: to }: Pick<Delivery, 'from_sequence' | 'to_sequence'>) =>
  from === to ? `${from}` : `${from}–${to}`;
