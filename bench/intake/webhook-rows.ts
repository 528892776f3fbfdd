import type { Closing } from '../support/closing.ts';
import { createDirectories, removeDirectories } from '../support/directories.ts';
import type { Options } from '../support/options.ts';
import { startReceiver } from '../support/receiver.ts';
import { startRollcallWorker, type RollcallEnvironment } from '../support/sides.ts';
import { formatNumber, startTable } from '../support/table.ts';
import { latencyColumns, measureRow, rowColumns, showSpeed, type IntakeSide, type Row } from './rows.ts';

interface WebhookRow extends Row {
  webhooksPerSecond: number;
}

interface WebhookRowsOptions {
  rollcall: IntakeSide;
  environment: RollcallEnvironment;
  /** The rows without a webhook, for comparison. */
  creates: Row[];
  options: Options;
}

/** Deliveries share the machine with the intake. Undelivered events are deleted with their directories. */
export async function measureWebhookRows(
  { rollcall, environment, creates, options }: WebhookRowsOptions,
  closing: Closing,
): Promise<WebhookRow[]> {
  console.log('\nUsers created, with a webhook per directory on this machine and a worker process that delivers:\n');
  await startRollcallWorker(environment, closing);
  const receiver = await startReceiver(closing);
  const print = startTable([
    ...rowColumns,
    { title: 'Rollcall/s', width: 10 },
    ...latencyColumns,
    { title: 'to no webhook', width: 13 },
    { title: 'webhooks/s', width: 10 },
  ]);
  const webhookRows: WebhookRow[] = [];
  for (const { operation, directories, writers, sides } of creates) {
    const made = await createDirectories({ ...rollcall, count: directories, webhookUrl: receiver.url });
    const [receivedBefore, startedMs] = [receiver.received(), performance.now()];
    const row = await measureRow([{ ...rollcall, directories: made }], { ...options, operation, directories, writers }, closing);
    const webhooksPerSecond = ((receiver.received() - receivedBefore) / (performance.now() - startedMs)) * 1000;
    await removeDirectories(made, rollcall);
    webhookRows.push({ ...row, webhooksPerSecond });
    const summary = row.sides.rollcall!;
    const share = summary.perSecond / sides.rollcall!.perSecond;
    print([String(directories), String(writers), ...showSpeed(summary), `${formatNumber(share)}x`, formatNumber(webhooksPerSecond)]);
  }
  return webhookRows;
}
