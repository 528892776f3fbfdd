import type { Context } from '../add-command.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';
import { shortTime } from '../times.ts';

export async function listReplays({ args: [id], options, client, ask, print }: Context<PageOptions>) {
  const replays = await listPages((page) => ask(client.replays.list(id!, page)), options);
  if (options.json) return print.json(replays);
  if (replays.length > 0)
    print.table(
      [
        { title: 'Id', value: (replay) => replay.id },
        { title: 'Begun', value: ({ created_at: at }) => shortTime(at) },
        { title: 'Mode', value: ({ mode }) => mode },
        { title: 'Status', value: ({ status }) => status },
        { title: 'Sent', value: ({ done }) => done, alignRight: true },
        { title: 'Of', value: ({ total }) => total, alignRight: true },
        { title: 'Reason', value: ({ reason }) => reason, mayShrink: true },
      ],
      replays,
    );
  return noteExtent(print, replays.length, 'replays', options);
}
