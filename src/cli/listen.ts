import { createHmac } from 'node:crypto';
import { Option, type Command } from 'commander';
import { registerCommand, type Select } from './command.ts';
import type { Context } from './connection.ts';
import { CommandError, type ExitCode, exitCodes } from './errors.ts';
import { getDemoDirectory, secretHidden } from './simulate.ts';
import { describeSubject } from './events.ts';
import { findListener, receiveWebhooks, type ReceivedDelivery } from './listen/receive-webhooks.ts';
import { directoryOption, integerOption, urlOption } from './options.ts';
import { formatSequence } from './output/format.ts';

interface Options {
  directory?: string;
  forwardTo?: string;
  port?: number;
  publicUrl?: string;
  replaceWebhook?: boolean;
}

export function registerListen(command: Command, select: Select): void {
  registerCommand<Options>(
    command,
    {
      options: [
        urlOption('--forward-to <url>', 'send each verified webhook on to this URL of your application'),
        directoryOption('listen to this directory (default: a demo directory, created if necessary)'),
        integerOption('--port <n>', 'port on this machine that receives webhooks (default: any free port)', { max: 65_535 }),
        urlOption('--public-url <url>', 'address of a tunnel to that port, for a service on another machine'),
        new Option('--replace-webhook', 'listen even if the directory has another webhook; it is restored afterwards'),
      ],
      examples: [
        'rollcall listen --forward-to http://localhost:3000/hooks',
        'rollcall listen --port 4000 --public-url https://tunnel.example',
      ],
      action: listen,
    },
    select,
  );
}

/** Receives the webhooks of a directory on this machine until Ctrl-C, verifies them, and forwards them. */
async function listen({ options, client, apiKey, unwrap, print, errorContext }: Context<Options>): Promise<ExitCode> {
  assertReachable(options, errorContext.baseUrl);
  const stopping = new Promise<void>((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop());
  });
  const directory =
    options.directory === undefined ? await getDemoDirectory({ client, unwrap }) : await unwrap(client.directories.get(options.directory));
  const ownSecret = createListenSecret(apiKey, directory.id);
  if (directory.webhook.secret === null) throw secretHidden('listen');
  let isFailing = false;
  const before = directory.webhook.endpoint;
  const listener = before === '' ? 'dead' : await findListener(before, directory.id);
  if (listener !== 'dead' && !options.replaceWebhook)
    throw new CommandError(
      exitCodes.confirmationRequired,
      listener === 'running'
        ? 'Another `rollcall listen` receives the webhooks of this directory. Stop it, or pass --replace-webhook to receive them here until you stop.'
        : `This directory sends webhooks to ${before}. Pass --replace-webhook to receive them here until you stop.`,
    );

  const receiver = await receiveWebhooks({
    directoryId: directory.id,
    port: options.port ?? 0,
    publicUrl: options.publicUrl,
    readSecret: async () => (await unwrap(client.directories.get(directory.id))).webhook.secret ?? ownSecret,
    forwardTo: options.forwardTo,
    onDelivery: show,
  });
  try {
    const { webhook } = await unwrap(
      client.directories.update(directory.id, {
        webhook_url: receiver.url,
        ...(directory.webhook.secret === '' && { webhook_secret: ownSecret }),
      }),
    );
    if (!options.json) {
      print.note(`Directory  ${directory.id} (${directory.tenant}/${directory.product})`);
      print.note(`SCIM       ${directory.scim.endpoint}`);
      print.note(`Webhooks   ${receiver.url}${options.forwardTo === undefined ? '' : ` → ${options.forwardTo}`}`);
      print.note(
        `Secret     ${webhook.secret === ownSecret ? ownSecret : `shown by: npx rollcall directories show ${directory.id} --show-secrets`}`,
      );
      if (options.directory === undefined) print.note('To push users, in another terminal: npx rollcall simulate okta');
      print.note('Waiting for events (Ctrl-C to stop)');
    }
    await stopping;
  } finally {
    await restoreWebhook();
    await receiver.close();
  }
  return exitCodes.success;

  /** Without a webhook, events are kept until the next one is set. Nothing is changed if another `listen` has taken over. */
  async function restoreWebhook(): Promise<void> {
    const { data } = await client.directories.get(directory.id);
    if (data?.webhook.endpoint !== receiver.url) return;
    const isDead = listener === 'dead' || (listener === 'running' && (await findListener(before, directory.id)) !== 'running');
    await client.directories.update(directory.id, { webhook_url: isDead ? '' : before });
  }

  function show({ events, status, durationMs, error }: ReceivedDelivery): void {
    const response = `[${status} in ${Math.round(durationMs)} ms]`;
    for (const event of events) {
      if (options.json) print.jsonLine(event);
      else if (event.event === 'webhook.test') print.line(['test ', event.event.padEnd(18), response].join('  '));
      else print.line([formatSequence(event.sequence), event.event.padEnd(18), describeSubject(event), response].join('  '));
    }
    if (error !== undefined) print.note(`Webhook not accepted ${response}: ${error}`);
    if (events.every(({ event }) => event === 'webhook.test')) return;
    const fails = status < 200 || status > 299;
    if (fails && !isFailing) {
      if (status === 401) print.note('Your application rejected the webhook. It must verify with the secret above.');
      print.note('Rollcall will retry. To retry immediately, restart `listen`.');
    }
    isFailing = fails;
  }
}

/** A service elsewhere can't reach a port of this machine. */
function assertReachable({ publicUrl }: Options, baseUrl: string): void {
  if (publicUrl !== undefined || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname)) return;
  throw new CommandError(
    exitCodes.failed,
    `${baseUrl} can't reach this machine. Open a tunnel to a port, and pass both: --port 4000 --public-url https://tunnel.example`,
  );
}

/**
 * The secret of a directory that has none, because its webhook was removed. It is the same each time, so that an application keeps verifying
 * after a restart of `listen`. Only the holder of an API key, who may read every secret, can compute it.
 */
const createListenSecret = (apiKey: string, directoryId: string): string =>
  `whsec_${createHmac('sha256', apiKey).update(`rollcall listen ${directoryId}`).digest('base64')}`;
