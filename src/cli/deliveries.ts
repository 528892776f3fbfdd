import { Option, Argument, InvalidArgumentError, type Command } from 'commander';
import { deliveryKinds, deliveryStatuses } from '../directory/delivery/delivery-log.ts';
import { isDeliveryId } from '../directory/delivery/delivery-id.ts';
import { addCommand, type Choose } from './add-command.ts';
import { choice, directoryArgument, pageOptions } from './options.ts';
import { examples } from './example-ids.ts';

export const readDeliveryId = (typed: string): string => {
  if (isDeliveryId(typed)) return typed;
  throw new InvalidArgumentError(
    `must be an id like ${examples.delivery}, not {}: \`rollcall deliveries list\` shows ids, and webhooks have it as webhook-id.`,
  );
};
const deliveryArgument = () => new Argument('<delivery>', 'id of the delivery').argParser(readDeliveryId);

export function fillDeliveries(group: Command, choose: Choose): void {
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the deliveries of a directory, the newest first',
      arguments: [directoryArgument()],
      options: [
        choice('--status <status>', 'only those', deliveryStatuses),
        choice('--kind <kind>', 'only those', deliveryKinds),
        ...pageOptions(),
      ],
      examples: [`rollcall deliveries list ${examples.directory} --status exhausted`],
      load: async () => (await import('./deliveries/list-deliveries.ts')).listDeliveries,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'show',
      summary: 'Shows a delivery with every attempt',
      arguments: [directoryArgument(), deliveryArgument()],
      examples: [`rollcall deliveries show ${examples.directory} ${examples.delivery}`],
      load: async () => (await import('./deliveries/show-delivery.ts')).showDelivery,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'retry',
      summary: 'Makes an open delivery due now, or one of a replay that has failed',
      arguments: [directoryArgument(), deliveryArgument()],
      examples: [`rollcall deliveries retry ${examples.directory} ${examples.delivery}`],
      load: async () => (await import('./deliveries/retry-delivery.ts')).retryDelivery,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'state',
      summary: 'Shows how the delivery of a directory stands',
      arguments: [directoryArgument()],
      examples: [`rollcall deliveries state ${examples.directory}`],
      load: async () => (await import('./deliveries/show-state.ts')).showState,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'pause',
      summary: 'Stops sending; events wait in their order',
      arguments: [directoryArgument()],
      examples: [`rollcall deliveries pause ${examples.directory}`],
      load: async () => (await import('./deliveries/pause-delivery.ts')).pauseDelivery,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'resume',
      summary: 'Goes on sending',
      arguments: [directoryArgument()],
      options: [choice('--from <place>', 'with all that has waited (backlog), or with the next event (now)', ['backlog', 'now'])],
      examples: [`rollcall deliveries resume ${examples.directory} --from backlog`],
      load: async () => (await import('./deliveries/resume-delivery.ts')).resumeDelivery,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'test',
      summary: 'Sends a signed test event at once, and shows the answer',
      arguments: [directoryArgument()],
      options: [new Option('--show-answer', "show the receiver's answer, too")],
      examples: [`rollcall deliveries test ${examples.directory}`],
      load: async () => (await import('./deliveries/test-webhook.ts')).testWebhook,
    },
    choose,
  );
}
