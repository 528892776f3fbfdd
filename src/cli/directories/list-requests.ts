import type { Context } from '../add-command.ts';
import { listPages, noteExtent, type PageOptions } from '../list-pages.ts';
import { shortTime } from '../times.ts';

export async function listRequests({ args: [id], options, client, ask, print }: Context<PageOptions>) {
  const requests = await listPages((page) => ask(client.directories.requests(id!, page)), options);
  if (options.json) return print.json(requests);
  if (requests.length > 0)
    print.table(
      [
        { title: 'Time', value: ({ at }) => shortTime(at) },
        { title: 'Method', value: ({ method }) => method },
        { title: 'Path', value: ({ path }) => path, mayShrink: true },
        { title: 'Answer', value: ({ status }) => status, alignRight: true },
        { title: 'ms', value: ({ duration_ms: ms }) => Math.round(ms), alignRight: true },
        { title: 'Detail', value: ({ detail }) => detail, mayShrink: true },
      ],
      requests,
    );
  return noteExtent(print, requests.length, 'requests', options);
}
