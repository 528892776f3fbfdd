import type { RotatedScimSecret, RotatedWebhookSecret } from '../../client/index.ts';
import type { Context } from '../add-command.ts';
import { shortTime } from '../times.ts';
import { printWarnings } from './print-warnings.ts';

interface Options {
  webhook?: boolean;
  secret?: string;
  overlap?: number;
  expiresAt?: string;
}

export async function rotateSecret({ args: [id], options, client, ask, print }: Context<Options>) {
  const { webhook, secret, overlap, expiresAt } = options;
  const request = { secret, overlap_seconds: overlap };
  const rotated: RotatedWebhookSecret & Partial<RotatedScimSecret> = webhook
    ? await ask(client.webhooks.rotateSecret(id!, request))
    : await ask(client.directories.rotateScimSecret(id!, { ...request, expires_at: expiresAt }));
  printWarnings(print, rotated.warnings);
  if (options.json) return print.json(rotated);
  return print.fields([
    [webhook ? 'New webhook secret' : 'New SCIM secret', rotated.secret],
    ['Valid until', shortTime(rotated.expires_at)],
    ['Former one until', shortTime(rotated.previous_valid_until) || 'now: it has ended'],
  ]);
}
