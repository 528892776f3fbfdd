import { Option, Argument, InvalidArgumentError, type Command } from 'commander';
import { deliveryKinds, deliveryStatuses } from '../directory/delivery/delivery-log.ts';
import { isDeliveryId } from '../directory/delivery/delivery-id.ts';
import { addCommand, type Choose } from './add-command.ts';
import { choice, directoryArgument, pageOptions } from './options.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';
const deliveryId = 'msg_4rP9dXo2Qm7LkTz0VbNcYfGhJsA';

export const readDeliveryId = (typed: string): string => {
  if (isDeliveryId(typed)) return typed;
  throw new InvalidArgumentError(
    `must be an id like ${deliveryId}, not {}: \`rollcall deliveries list\` shows ids, and webhooks have it as webhook-id.`,
  );
};
const deliveryArgument = () => new Argument('<delivery>', 'id of the delivery').argParser(readDeliveryId);

export function addDeliveries(program: Command, choose: Choose): void {
  const group = program.command('deliveries').description('Webhooks: what was sent, what was answered, and how the delivery stands');
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
      examples: [`rollcall deliveries list ${id} --status exhausted`],
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
      examples: [`rollcall deliveries show ${id} ${deliveryId}`],
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
      examples: [`rollcall deliveries retry ${id} ${deliveryId}`],
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
      examples: [`rollcall deliveries state ${id}`],
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
      examples: [`rollcall deliveries pause ${id}`],
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
      examples: [`rollcall deliveries resume ${id} --from backlog`],
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
      examples: [`rollcall deliveries test ${id}`],
      load: async () => (await import('./deliveries/test-webhook.ts')).testWebhook,
    },
    choose,
  );
}
