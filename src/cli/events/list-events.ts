import type { Context } from '../add-command.ts';
import type { DirectoryEvent, EventPage } from '../../client/index.ts';
import { explainRefusal } from '../ask.ts';
import { shortTime } from '../times.ts';
import { describeEvent } from './describe-event.ts';
import type { FeedOptions, FeedQuery } from './feed-options.ts';

interface Options extends FeedOptions {
  since?: string;
  until?: string;
  after?: string;
  newest?: boolean;
  limit?: number;
  all?: boolean;
}

export async function listEvents({ options, client, asked, judged, print }: Context<Options, FeedQuery>) {
  const { since, until, newest, limit = 50, all } = options;
  const query = { ...judged, range_end: until, order: newest ? ('desc' as const) : ('asc' as const) };
  const events: DirectoryEvent[] = [];
  let after = options.after;
  let extent: EventPage['list_metadata'];
  do {
    const start = after === undefined ? { range_start: since } : { after };
    const answer = await client.events.list({ ...query, ...start, limit: all ? 1000 : limit - events.length });
    if (answer.error) throw explainRefusal(answer.error, asked);
    events.push(...answer.data);
    extent = answer.list_metadata;
    after = extent.after ?? undefined;
  } while (extent.has_more && after !== undefined && (all || events.length < limit));
  if (options.json) return print.json({ data: events, list_metadata: extent });
  if (events.length > 0)
    print.table(
      [
        { title: 'Time', value: ({ occurred_at: at }) => shortTime(at) },
        { title: 'Directory', value: ({ directory_id: id }) => id },
        { title: 'No.', value: ({ sequence }) => sequence, alignRight: true },
        { title: 'Event', value: ({ event }) => event },
        { title: 'About', value: describeEvent, mayShrink: true },
      ],
      events,
    );
  if (events.length === 0) return print.note('There are no events.');
  return extent.has_more && after !== undefined ? print.note(`There are more events: --after ${after} goes on.`) : undefined;
}
