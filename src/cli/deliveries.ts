import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import type { Delivery, DeliveryState } from '../client/index.ts';
import { deliveryKinds, deliveryStatuses, isDeliveryId } from '../directory/delivery/delivery-log.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { CommandError, type ExitCode, UsageError, exitCodes } from './errors.ts';
import { printList, type PageOptions } from './list-pages.ts';
import {
  directoryArgument,
  enumOption,
  optionalDirectoryArgument,
  pageOptions,
  productOption,
  sampleIds,
  tenantOption,
} from './options.ts';
import { pluralize, shortTime, timeAndAge } from './output/format.ts';
import type { Printer } from './output/printer.ts';

export const parseDeliveryId = (typed: string): string => {
  if (isDeliveryId(typed)) return typed;
  throw new InvalidArgumentError(
    `must be an ID such as ${sampleIds.delivery}, not {}. Run \`rollcall deliveries list <directory>\` to find IDs, or look at the webhook-id header of a webhook.`,
  );
};
const deliveryArgument = () => new Argument('<delivery>', 'ID of the delivery').argParser(parseDeliveryId);

export function registerDeliveries(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List deliveries: of a directory, newest first; of all directories, failed ones first',
    arguments: [optionalDirectoryArgument()],
    options: [
      enumOption('--status <status>', 'only deliveries with this status', deliveryStatuses),
      enumOption('--kind <kind>', 'only deliveries of this kind; requires a directory', deliveryKinds),
      tenantOption('only directories of this tenant'),
      productOption('only directories of this product'),
      ...pageOptions(),
    ],
    examples: [`rollcall deliveries list ${sampleIds.directory} --status exhausted`, 'rollcall deliveries list --product crm'],
    validate: rejectContradictions,
    action: (context: Context<ListOptions>) => (context.args[0] === undefined ? listOfAllDirectories(context) : listDeliveries(context)),
  });
  add({
    name: 'show',
    summary: 'Show a delivery and its attempts',
    arguments: [directoryArgument(), deliveryArgument()],
    examples: [`rollcall deliveries show ${sampleIds.directory} ${sampleIds.delivery}`],
    action: showDelivery,
  });
  add({
    name: 'retry',
    summary: 'Retry a pending delivery, or a failed delivery of a replay, now',
    arguments: [directoryArgument(), deliveryArgument()],
    examples: [`rollcall deliveries retry ${sampleIds.directory} ${sampleIds.delivery}`],
    action: retryDelivery,
  });
  add({
    name: 'state',
    summary: 'Show the delivery state of a directory',
    arguments: [directoryArgument()],
    examples: [`rollcall deliveries state ${sampleIds.directory}`],
    action: showState,
  });
  add({
    name: 'pause',
    summary: 'Pause delivery; events are kept in order',
    arguments: [directoryArgument()],
    examples: [`rollcall deliveries pause ${sampleIds.directory}`],
    action: pauseDelivery,
  });
  add({
    name: 'resume',
    summary: 'Resume delivery after a pause, or after it was disabled',
    arguments: [directoryArgument()],
    options: [enumOption('--from <position>', 'where to start: backlog sends all pending events, now skips them', ['backlog', 'now'])],
    examples: [`rollcall deliveries resume ${sampleIds.directory} --from backlog`],
    action: resumeDelivery,
  });
  add({
    name: 'test',
    summary: 'Send a signed test event now, and show the result',
    arguments: [directoryArgument()],
    options: [new Option('--show-response', 'also show the response body')],
    examples: [`rollcall deliveries test ${sampleIds.directory}`],
    action: testWebhook,
  });
}

interface ListOptions extends PageOptions {
  status?: Delivery['status'];
  kind?: Delivery['kind'];
  tenant?: string;
  product?: string;
}

function rejectContradictions({ args: [directory], options: { kind, tenant, product } }: ParsedCommand<ListOptions>): undefined {
  if (directory === undefined && kind !== undefined)
    throw new UsageError(`--kind requires a directory. Example: rollcall deliveries list ${sampleIds.directory} --kind ${kind}`);
  if (directory === undefined || (tenant === undefined && product === undefined)) return undefined;
  const flag = tenant === undefined ? '--product' : '--tenant';
  throw new UsageError(`${flag} and a directory cannot be used together. Example: rollcall deliveries list --product crm`);
}

function listOfAllDirectories(context: Context<ListOptions>): Promise<void> {
  const { status, tenant, product } = context.options;
  return printList(context, {
    fetchPage: (page) => context.client.deliveries.listAll({ status, tenant, product, ...page }),
    columns: [
      { title: 'ID', value: (one) => one.id },
      { title: 'Directory', value: (one) => one.directory_id, wideOnly: true },
      { title: 'Name', value: ({ directory }) => directory.name, mayShrink: true },
      { title: 'Created', value: ({ created_at: at }) => shortTime(at) },
      { title: 'Status', value: (one) => one.status },
      { title: 'Failures', value: ({ failures }) => failures, alignRight: true },
      { title: 'Event type', value: (one) => describeTypes(one), mayShrink: true },
      { title: 'Next attempt', value: ({ next_attempt_at: at }) => shortTime(at), wideOnly: true },
    ],
    noun: 'deliveries',
  });
}

function listDeliveries(context: Context<ListOptions>): Promise<void> {
  const {
    args,
    options: { status, kind },
    client,
  } = context;
  return printList(context, {
    fetchPage: (page) => client.deliveries.list(args[0]!, { status, kind, ...page }),
    columns: [
      { title: 'ID', value: (one) => one.id },
      { title: 'Created', value: ({ created_at: at }) => shortTime(at) },
      { title: 'Kind', value: (one) => one.kind, wideOnly: true },
      { title: 'Status', value: (one) => one.status },
      { title: 'Event type', value: (one) => describeTypes(one), mayShrink: true },
      { title: 'Events', value: eventRange, alignRight: true, wideOnly: true },
      { title: 'Attempts', value: ({ attempts }) => attempts, alignRight: true, wideOnly: true },
      { title: 'Next attempt', value: ({ next_attempt_at: at }) => shortTime(at), wideOnly: true },
    ],
    noun: 'deliveries',
  });
}

const describeTypes = ({ event_types: types }: Delivery) => types.join(', ') || 'no longer kept';

const eventRange = ({ from_sequence: from, to_sequence: to }: Pick<Delivery, 'from_sequence' | 'to_sequence'>) =>
  from === to ? `#${from}` : `#${from}–${to}`;

async function showDelivery({ args: [directory, id], options, client, unwrap, print }: Context): Promise<void> {
  const delivery = await unwrap(client.deliveries.get(directory!, id!));
  if (options.json) return print.json(delivery);
  print.fields([
    ['Delivery', delivery.id],
    ['Directory', delivery.directory_id],
    ['Kind', delivery.kind],
    ['Status', delivery.status],
    ['Event types', describeTypes(delivery)],
    ['Events', eventRange(delivery)],
    ['Created', shortTime(delivery.created_at)],
    ['Next attempt', shortTime(delivery.next_attempt_at)],
    ['Completed', shortTime(delivery.done_at)],
    ['Body', delivery.body ?? 'not kept'],
  ]);
  if (delivery.attempt_log.length === 0) return undefined;
  print.line();
  return print.table(
    [
      { title: 'No.', value: ({ number }) => number, alignRight: true },
      { title: 'Time', value: ({ started_at: at }) => shortTime(at) },
      { title: 'Outcome', value: ({ outcome }) => outcome },
      { title: 'Status', value: ({ status_code: status }) => status, alignRight: true },
      { title: 'ms', value: ({ timings }) => timings?.total_ms, alignRight: true },
      { title: 'Error', value: ({ error }) => error, mayShrink: true },
    ],
    delivery.attempt_log,
  );
}

async function retryDelivery({ args: [directory, id], options, client, unwrap, print }: Context): Promise<void> {
  const retried = await client.deliveries.retry(directory!, id!);
  if (retried.error) {
    // The API's message names a URL; here a command does the same.
    const { data: current } = retried.error.code === 'invalid_request' ? await client.deliveries.get(directory!, id!) : { data: null };
    const canBeRetried = current?.status === 'pending' || (current?.kind === 'replay' && current.status === 'exhausted');
    if (current && !canBeRetried)
      throw new CommandError(
        exitCodes.failed,
        `This delivery is already completed. To resend its events: rollcall replay ${directory} --delivery ${id}`,
      );
  }
  const delivery = await unwrap(Promise.resolve(retried));
  if (options.json) return print.json(delivery);
  return print.line(`Retrying ${delivery.id} now.`);
}

async function showState({ args: [id], options, client, unwrap, print }: Context): Promise<void> {
  const state = await unwrap(client.deliveries.state(id!));
  if (options.json) return print.json(state);
  printState(print, state);
  return state.open && state.open.failures > 0
    ? print.note(`To see why it failed: rollcall deliveries show ${id} ${state.open.id}`)
    : undefined;
}

async function pauseDelivery({ args: [id], options, client, unwrap, print }: Context): Promise<void> {
  const state = await unwrap(client.deliveries.pause(id!));
  if (options.json) return print.json(state);
  printState(print, state);
  return state.settled ? undefined : print.note('Delivery is paused. One request that was already in flight may still arrive.');
}

async function resumeDelivery({ args: [id], options, client, unwrap, print }: Context<{ from?: 'backlog' | 'now' }>): Promise<void> {
  const resumed = await client.deliveries.resume(id!, options.from === undefined ? {} : { from: options.from });
  if (options.from === 'now' && resumed.error?.field === 'from')
    throw new UsageError(
      `${resumed.error.message.split(':')[0]}. Pause it first, then resume it with --from now. Example: rollcall deliveries pause ${id}`,
    );
  const state = await unwrap(Promise.resolve(resumed));
  return options.json ? print.json(state) : printState(print, state);
}

function printState(print: Printer, state: DeliveryState): void {
  const { open } = state;
  const next = state.status === 'active' || state.status === 'failing' ? `, next ${shortTime(open?.next_attempt_at) || 'now'}` : '';
  print.fields([
    ['Delivery', state.status],
    ['Reason', state.reason],
    ['Webhook', state.url ?? 'none'],
    ['Backlog', pluralize(state.backlog, 'event')],
    ['Delivered up to', `${state.acked_sequence} of ${state.last_sequence}`],
    ['Oldest pending', state.oldest_pending_at && timeAndAge(state.oldest_pending_at)],
    ['Last error', state.last_error && `${state.last_error.error} (${shortTime(state.last_error.at)})`],
    ['Failing since', state.first_failure_at && timeAndAge(state.first_failure_at)],
    ['Failures in a row', state.consecutive_failures === 0 ? '' : state.consecutive_failures],
    ['Last delivered', timeAndAge(state.last_success_at)],
    ['Pending delivery', open && `${open.id} (${pluralize(open.attempts, 'attempt')}${next})`],
  ]);
}

/** Succeeds only if the receiver acknowledges the event. */
async function testWebhook({ args: [id], options, client, unwrap, print }: Context<{ showResponse?: boolean }>): Promise<ExitCode> {
  const sent = await unwrap(client.webhooks.test(id!, { timeoutMs: 60_000 }));
  if (options.json) print.json(sent);
  else
    print.fields([
      ['Delivery', sent.id],
      ['URL', sent.url],
      ['Address', sent.address],
      ['Outcome', sent.outcome],
      ['Status', sent.status_code],
      ['Error', sent.error],
      ['Duration', sent.timings && `${sent.timings.total_ms} ms`],
      ['Response', options.showResponse ? sent.response_body : ''],
    ]);
  return sent.outcome === 'success' ? exitCodes.success : exitCodes.failed;
}
