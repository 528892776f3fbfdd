import type { Context } from '../add-command.ts';
import { exitCodes } from '../exit-codes.ts';

/** Ends with 0 only if the receiver took it. */
export async function testWebhook({ args: [id], options, client, ask, print }: Context<{ showAnswer?: boolean }>) {
  const sent = await ask(client.webhooks.test(id!, { timeoutMs: 60_000 }));
  if (options.json) print.json(sent);
  else
    print.fields([
      ['Sent', sent.id],
      ['To', sent.url],
      ['Reached', sent.address],
      ['Outcome', sent.outcome],
      ['Answer', sent.status_code],
      ['Why', sent.error],
      ['Took', sent.timings && `${sent.timings.total_ms} ms`],
      ['Said', options.showAnswer ? sent.response_body : ''],
    ]);
  return sent.outcome === 'success' ? exitCodes.done : exitCodes.failed;
}
