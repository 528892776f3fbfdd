import type { Command } from 'commander';
import type { Overview } from '../client/index.ts';
import { registerCommand, type Select } from './command.ts';
import type { Context } from './connection.ts';
import { pluralize, timeAndAge } from './output/format.ts';

export function registerOverview(command: Command, select: Select): void {
  registerCommand(command, { options: [], examples: ['rollcall overview', 'rollcall overview --json'], action: showOverview }, select);
}

async function showOverview({ options, client, unwrap, print }: Context): Promise<void> {
  const overview = await unwrap(client.overview.get());
  if (options.json) return print.json(overview);
  const { directories, by_health: byHealth, backlog, unhealthy } = overview;
  print.fields([
    ['Directories', directories],
    ...Object.entries(byHealth)
      .filter(([, count]) => count > 0)
      .map(([health, count]): [string, number] => [`  ${health}`, count]),
    ['Backlog', `${pluralize(backlog.events, 'event')} of ${pluralize(backlog.directories, 'directory', 'directories')}`],
    ['Oldest undelivered', backlog.oldest_at === null ? 'none' : timeAndAge(backlog.oldest_at)],
  ]);
  if (unhealthy.length === 0) return undefined;
  print.line();
  print.table(
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'Health', value: ({ health }) => health.status },
      { title: 'Tenant', value: ({ tenant }) => tenant, mayShrink: true, wideOnly: true },
      { title: 'Product', value: ({ product }) => product, mayShrink: true, wideOnly: true },
      { title: 'Backlog', value: (one) => one.backlog, alignRight: true, wideOnly: true },
      { title: 'Why', value: describeCause, mayShrink: true },
      { title: 'Advice', value: ({ health }) => health.advice, mayShrink: true, wideOnly: true },
    ],
    unhealthy,
    { wide: options.wide },
  );
  return unhealthy.length < countUnhealthy(overview)
    ? print.note('These are the first ones. All of them: rollcall directories list --unhealthy --all')
    : undefined;
}

const describeCause = ({ reason, last_error: lastError }: Overview['unhealthy'][number]) => reason ?? lastError?.message ?? '';

const countUnhealthy = ({ by_health: byHealth }: Overview) =>
  byHealth.failing + byHealth.disabled + byHealth.needs_authorization + byHealth.needs_confirmation + byHealth.paused + byHealth.stale;
