import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../add-command.ts';
import type { DirectoryEvent } from '../../client/index.ts';
import { explainRefusal } from '../ask.ts';
import { exitCodes } from '../exit-codes.ts';
import { shortTime } from '../times.ts';
import { describeEvent } from './describe-event.ts';
import type { FeedOptions, FeedQuery } from './feed-options.ts';

interface Options extends FeedOptions {
  since?: string;
  after?: string;
}

const waitSeconds = 20;
const [firstPauseMs, longestPauseMs] = [250, 5_000];
/** What may be over in a while: the service is started again, or a proxy before it says that it is. */
const passing = new Set(['unreachable', 'unavailable', 'rate_limited', 'internal', 'unreadable_answer']);

/** Follows the feed at its cursor, so that nothing is missed or told twice, whatever becomes of the service meanwhile. */
export async function tailEvents({ options, client, asked, judged: query, print }: Context<Options, FeedQuery>) {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  let cursor = options.after;
  let since = options.since;
  let hasNotedLost = false;
  // The newest there is, whatever its type: behind it begins what comes from now on.
  if (cursor === undefined && since === undefined)
    cursor = await read({ ...query, events: undefined, order: 'desc', limit: 1 }, true).then((page) => page?.after);
  if (!options.json && !ending.signal.aborted) print.note('Following; Ctrl-C ends it.');
  while (!ending.signal.aborted) {
    const page = await read(
      { ...query, wait: waitSeconds, limit: 100, ...(cursor === undefined ? { range_start: since } : { after: cursor }) },
      false,
    );
    if (!page) break;
    for (const event of page.events) show(event);
    noteLost(page.events);
    cursor = page.after ?? cursor;
    if (cursor !== undefined) since = undefined;
  }
  if (cursor !== undefined) print.note(`To go on from here: --after ${cursor}`);
  return exitCodes.done;

  /** Nothing when it is to end. The first question is not repeated: the address may be wrong. */
  async function read(
    request: Parameters<typeof client.events.list>[0],
    isFirst: boolean,
  ): Promise<{ events: DirectoryEvent[]; after: string | undefined } | undefined> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const answer = await client.events.list(request, { signal: ending.signal });
      if (ending.signal.aborted) return undefined;
      if (!answer.error) {
        if (pauseMs > firstPauseMs) print.note('The service answers again.');
        return { events: answer.data, after: answer.list_metadata.after ?? undefined };
      }
      if (isFirst || !passing.has(answer.error.code)) throw explainRefusal(answer.error, asked);
      if (pauseMs === firstPauseMs)
        print.note(`${explainRefusal(answer.error, asked).message.split(': start the service')[0]}: trying again.`);
      const patienceMs = Math.max(pauseMs, (answer.error.retryAfterSeconds ?? 0) * 1_000);
      await sleep(patienceMs, undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) return undefined;
    }
  }

  /** Said once: whoever follows a directory that has a webhook wonders. */
  function noteLost(events: DirectoryEvent[]): void {
    const lost = options.json || hasNotedLost ? undefined : events.find(({ data }) => data === null);
    if (!lost) return;
    hasNotedLost = true;
    print.note(
      `What an event says goes as soon as its webhook was taken. To keep it: rollcall directories update ${lost.directory_id} --log-webhook-events true`,
    );
  }

  function show(event: DirectoryEvent): void {
    if (options.json) return print.jsonLine(event);
    const { occurred_at: at, tenant, product, sequence, event: type } = event;
    return print.line(
      [shortTime(at), `${tenant}/${product}`, `#${sequence}`, type.padEnd(18), describeEvent(event)]
        .map((word) => word.replaceAll('\n', ' '))
        .join('  '),
    );
  }
}
