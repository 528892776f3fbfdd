import type { UnhealthyDirectory } from '../../client/generated/types.ts';
import { api, useAction, useRead } from '../api.ts';
import { ChoiceFilter, Filters, TextFilter } from '../parts/filters.tsx';
import { Card, PageHead } from '../parts/page.tsx';
import { FirstOnly, isOnlyFirst } from '../parts/first-only.tsx';
import { deliveryStatuses, oneOf } from '../parts/records.ts';
import { DeliveryStatus, HealthStatus } from '../parts/status.tsx';
import { ActionError, Empty, Failed } from '../parts/states.tsx';
import { List, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { announce } from '../parts/toasts.tsx';
import { countOf, type Health, healthWords } from '../parts/words.ts';
import { hrefOf, useLocation } from '../router.ts';
import { useMay } from '../session.tsx';

const pageSize = 50;
const everyMs = 15_000;
/** Where events wait for somebody. */
const stopped: readonly Health[] = ['failing', 'disabled', 'paused'];
const healthOptions = Object.fromEntries(stopped.map((health) => [health, healthWords[health].word])) as Record<Health, string>;

/** A directory also fails when its identity provider cannot push. */
const isStopped = ({ health: { status }, failing_since: since }: UnhealthyDirectory) =>
  stopped.includes(status) && (status !== 'failing' || since !== null);

const deliveriesHref = (id: string, query: Record<string, string> = {}) => hrefOf(`/directories/${id}/deliveries`, query);

/** Across directories: what fails, and then all. */
export function DeliveriesPage() {
  const { query } = useLocation();
  const filter = {
    search: query.get('search') || undefined,
    health: oneOf(query.get('health'), healthOptions),
    cursor: query.get('cursor') ?? undefined,
  };
  const overview = useRead((options) => api.overview.get(options), [], { everyMs });
  const read = useRead((options) => api.directories.listAll({ ...filter, limit: pageSize, include_secrets: 'false' }, options), [filter], {
    everyMs,
  });
  const unhealthy = overview.value?.data.unhealthy;
  const failed = unhealthy?.filter(isStopped);
  const isPart = unhealthy !== undefined && isOnlyFirst(unhealthy);
  return (
    <>
      <PageHead title="Deliveries" about="Failing deliveries first." />
      {overview.error && !overview.value && (
        <div class="card">
          <Failed error={overview.error} retry={overview.reload} />
        </div>
      )}
      {failed?.length === 0 && !isPart && (
        <div class="note good" role="status">
          <p>Every delivery works, or waits for its first event.</p>
        </div>
      )}
      {failed && failed.length > 0 && <Stopped directories={failed} reload={overview.reload} />}
      {isPart && <FirstOnly />}
      <Filters>
        <TextFilter name="search" label="Search directories" />
        <ChoiceFilter name="health" label="Delivery" any="All" options={healthOptions} />
      </Filters>
      <List
        label="Deliveries by directory"
        read={read}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Directory', kind: 'name', cell: ({ id, name }) => <a href={deliveriesHref(id)}>{name}</a> },
          { title: 'Tenant', cell: ({ tenant }) => <span class="isolated">{tenant}</span> },
          { title: 'Health', cell: ({ health }) => <HealthStatus health={health.status} /> },
          {
            title: 'Webhook',
            cell: ({ webhook }) => (webhook.endpoint === '' ? <span class="soft">None</span> : <code>{webhook.endpoint}</code>),
          },
          {
            title: 'Deliveries',
            cell: ({ id, name, webhook }) =>
              webhook.endpoint === '' ? (
                <span class="soft">–</span>
              ) : (
                <span class="line">
                  {(['pending', 'exhausted', 'skipped'] as const).map((status) => (
                    <a key={status} href={deliveriesHref(id, { status })} aria-label={`${deliveryStatuses[status].word}: ${name}`}>
                      {deliveryStatuses[status].word}
                    </a>
                  ))}
                </span>
              ),
          },
        ]}
        empty={
          filter.search !== undefined || filter.health !== undefined ? (
            <Empty title="No directory matches">
              <a class="button" href={hrefOf('/deliveries')}>
                Show all directories
              </a>
            </Empty>
          ) : (
            <Empty title="There is no directory yet">
              <p>Events are delivered to the webhook of a directory.</p>
            </Empty>
          )
        }
      />
    </>
  );
}

function Stopped({ directories, reload }: { directories: UnhealthyDirectory[]; reload(): void }) {
  const may = useMay();
  const retry = useAction(async (directoryId: string) => {
    const state = await api.deliveries.state(directoryId);
    if (state.error !== null) return state;
    if (!state.data.open) return { ...state, data: { isRetried: false } };
    const retried = await api.deliveries.retry(directoryId, state.data.open.id);
    return retried.error === null ? { ...retried, data: { isRetried: true } } : retried;
  });
  const tryNow = async (directoryId: string) => {
    const done = await retry.run(directoryId);
    if (!done) return;
    announce(done.data.isRetried ? 'The next attempt begins now.' : 'No delivery is waiting for a retry any more.');
    reload();
  };
  return (
    <Card title="Needs attention">
      <ActionError error={retry.error} />
      <div class="flush">
        <Table
          label="Deliveries that need attention"
          rows={directories}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Directory', kind: 'name', cell: ({ id, name }) => <a href={deliveriesHref(id)}>{name}</a> },
            { title: 'State', cell: ({ health }) => <DeliveryStatus state={health.status} /> },
            { title: 'Last error', cell: (directory) => <LastError directory={directory} /> },
            { title: 'Since', cell: ({ failing_since: since }) => <Time at={since} none="–" /> },
            { title: 'Waiting', kind: 'number', cell: ({ backlog }) => countOf(backlog, 'event') },
            { title: 'Next attempt', cell: (directory) => <Time at={directory.next_attempt_at} none="–" /> },
            {
              title: 'Actions',
              cell: ({ id, name, health }) =>
                health.status === 'failing' && may('deliveries:write') ? (
                  <button
                    type="button"
                    class="button small"
                    aria-label={`Retry now: ${name}`}
                    disabled={retry.isRunning}
                    onClick={() => void tryNow(id)}
                  >
                    Retry now
                  </button>
                ) : (
                  <a href={hrefOf(`/directories/${id}/settings`)}>Settings</a>
                ),
            },
          ]}
        />
      </div>
    </Card>
  );
}

const LastError = ({ directory: { reason, last_error: error, consecutive_failures: failures } }: { directory: UnhealthyDirectory }) => (
  <>
    {(reason ?? error?.message) && <p class="bad-text">{reason ?? error?.message}</p>}
    {error && (
      <p class="soft">
        {error.status === null ? 'No response' : `Status ${error.status}`}, {countOf(failures, 'failed attempt')}
      </p>
    )}
  </>
);
