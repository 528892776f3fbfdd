import type { Context } from '../add-command.ts';
import type { Replay, ReplayRequest } from '../../client/index.ts';
import { exitCodes } from '../exit-codes.ts';
import { follow } from '../follow.ts';
import { createProgress } from '../progress.ts';
import type { ReplayOptions } from './replay-request.ts';

export async function replayEvents({
  args: [directory],
  options,
  shell,
  client,
  ask,
  asked,
  judged: requests,
  print,
}: Context<ReplayOptions & { wait: boolean }, ReplayRequest[]>) {
  const answers = [];
  for (const request of requests) answers.push(await ask(client.replays.create(directory!, request)));
  const replays = answers.filter((answer): answer is Replay => 'id' in answer);
  if (replays.length < answers.length) {
    const total = answers.reduce((sum, { total: one }) => sum + one, 0);
    if (options.json) print.json(answers.length === 1 ? answers[0] : answers);
    else print.line(`${total} events would be sent again.`);
    return exitCodes.done;
  }
  const ended: Replay[] = [];
  for (const replay of replays) ended.push(options.wait ? await followReplay(replay) : replay);
  if (options.json) print.json(ended.length === 1 ? ended[0] : ended);
  else for (const replay of ended) print.line(inWords(replay));
  return ended.every(({ status }) => ['done', 'running'].includes(status)) ? exitCodes.done : exitCodes.failed;

  function followReplay({ id }: Replay): Promise<Replay> {
    const progress = createProgress(shell);
    return follow({
      read: () => client.replays.get(directory!, id),
      isOver: ({ status }) => status !== 'running',
      show: ({ done, total }) => progress.show({ text: 'Sending again', done, total }),
      progress,
      asked,
    });
  }
}

function inWords({ id, status, done, total, reason, directory_id: directory }: Replay): string {
  if (status === 'done') return `Resent ${total} event${total === 1 ? '' : 's'}.`;
  if (status === 'running') return `The replay ${id} sends ${total} events again. \`rollcall replays show ${id}\` shows how far it is.`;
  if (status === 'canceled') return `The replay ${id} was canceled after ${done} of ${total} events.`;
  return `The replay ${id} failed after ${done} of ${total} events${reason ? ` (${reason})` : ''}. \`rollcall deliveries list ${directory} --kind replay\` shows why.`;
}
