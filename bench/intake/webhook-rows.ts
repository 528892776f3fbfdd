import type { Cleanup } from '../support/cleanup.ts';
import { createDirectories, removeDirectories } from '../support/directories.ts';
import type { Options } from '../support/options.ts';
import { startReceiver } from '../support/receiver.ts';
import { sideNames, startRollcallWorker, type RollcallEnvironment } from '../support/sides.ts';
import { formatNumber, startTable } from '../support/table.ts';
import { latencyColumns, measureRow, rowColumns, formatSpeed, type IntakeSide, type Row } from './rows.ts';

export interface WebhookRow extends Row {
  /** Sent by Rollcall during the slices of both sides: it also sends while the peer is measured. */
  webhooksPerSecond: number;
  /** Rollcall's rate divided by its rate without a webhook. */
  share: number;
}

interface WebhookRowsOptions {
  /** Rollcall, and Polis if it is a peer. */
  sides: IntakeSide[];
  environment: RollcallEnvironment;
  /** The rows without a webhook, for comparison. */
  creates: Row[];
  options: Options;
}

/** Deliveries share the machine with the intake. Undelivered events are deleted with their directories. */
export async function measureWebhookRows(
  { sides, environment, creates, options }: WebhookRowsOptions,
  cleanup: Cleanup,
): Promise<WebhookRow[]> {
  console.log(`
Users created, with a webhook per directory on this machine. A worker process of Rollcall delivers, after the response. Polis has its own
callback, which posts before the response.
`);
  await startRollcallWorker(environment, cleanup);
  const receivers = await Promise.all(sides.map(() => startReceiver(cleanup)));
  const print = startTable([
    ...rowColumns,
    ...sides.flatMap(({ side }) => [{ title: `${sideNames[side]}/s`, width: 10 }, ...latencyColumns]),
    { title: 'ratio', width: 5 },
    { title: 'to no webhook', width: 13 },
    { title: 'webhooks/s', width: 10 },
  ]);
  const webhookRows: WebhookRow[] = [];
  for (const { operation, directories, writers, sides: without } of creates) {
    const withWebhooks = await Promise.all(
      sides.map(async (side, index) => ({
        ...side,
        directories: await createDirectories({ ...side, count: directories, webhookUrl: receivers[index]!.url }),
      })),
    );
    const receiver = receivers[sides.findIndex(({ side }) => side === 'rollcall')]!;
    const [receivedBefore, startedMs] = [receiver.received(), performance.now()];
    const row = await measureRow(withWebhooks, { ...options, operation, directories, writers }, cleanup);
    const webhooksPerSecond = ((receiver.received() - receivedBefore) / (performance.now() - startedMs)) * 1000;
    for (const side of withWebhooks) if (side.side === 'rollcall') await removeDirectories(side.directories, side);
    const share = row.sides.rollcall!.perSecond / without.rollcall!.perSecond;
    webhookRows.push({ ...row, webhooksPerSecond, share });
    print([
      String(directories),
      String(writers),
      ...sides.flatMap(({ side }) => formatSpeed(row.sides[side]!)),
      row.ratio === undefined ? '' : `${formatNumber(row.ratio)}x`,
      `${formatNumber(share)}x`,
      formatNumber(webhooksPerSecond),
    ]);
  }
  return webhookRows;
}
