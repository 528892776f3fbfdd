import type { Context } from '../add-command.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';
import { shortTime } from '../times.ts';

export async function listSyncs({ args: [id], options, client, ask, print }: Context<PageOptions>) {
  const runs = await listPages((page) => ask(client.syncs.list(id!, page)), options);
  if (options.json) return print.json(runs);
  if (runs.length > 0)
    print.table(
      [
        { title: 'Id', value: (run) => run.id },
        { title: 'Asked for', value: ({ requested_at: at }) => shortTime(at) },
        { title: 'By', value: ({ trigger }) => trigger },
        { title: 'State', value: ({ state }) => state },
        { title: 'Why', value: ({ error }) => error?.message, mayShrink: true },
      ],
      runs,
    );
  return noteExtent(print, runs.length, 'readings', options);
}
