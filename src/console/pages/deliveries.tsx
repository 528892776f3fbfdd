import type { Overview, UnhealthyDirectory } from '../../client/generated/types.ts';
import { api, useAction, useRead } from '../api.ts';
import { ChoiceFilter, Filters, TextFilter } from '../parts/filters.tsx';
import { Card, PageHead } from '../parts/page.tsx';
import { FirstOnly, isOnlyFirst } from '../parts/first-only.tsx';
import { deliveryStatuses, describeTypes, oneOf, wordsOf } from '../parts/records.ts';
import { DeliveryStatus, Status } from '../parts/status.tsx';
import { ActionError, Empty, Failed } from '../parts/states.tsx';
import { List, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { announce } from '../parts/toasts.tsx';
import { countOf } from '../parts/words.ts';
import { hrefOf, useLocation } from '../router.ts';
import { useMay, useSession } from '../session.tsx';

const pageSize = 50;
const everyMs = 15_000;
/** Where events wait for somebody, whatever else the health of the directory names. */
const isStopped = ({ delivery_status: status }: UnhealthyDirectory) => status !== 'active' && status !== 'no_webhook';

/** The delivery of the last events of a deactivated directory may fail, and it is not among those that need attention. */
const maySayAllWorks = ({ by_health: byHealth, backlog, unhealthy }: Overview) =>
  !isOnlyFirst(unhealthy) && !unhealthy.some(isStopped) && (byHealth.deactivated === 0 || backlog.events === 0);

const deliveriesHref = (id: string) => hrefOf(`/directories/${id}/deliveries`);

/** Across directories: those whose delivery fails, and then all deliveries, failed ones first. */
export function DeliveriesPage() {
  const session = useSession();
  const { query } = useLocation();
  const filter = {
    status: oneOf(query.get('status'), deliveryStatuses),
    product: query.get('product') || undefined,
    cursor: query.get('cursor') ?? undefined,
  };
  const overview = useRead((options) => api.overview.get(options), [], { everyMs });
  const read = useRead((options) => api.deliveries.listAll({ ...filter, limit: pageSize }, options), [filter], { everyMs });
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
      {overview.value && maySayAllWorks(overview.value.data) && (
        <div class="note good" role="status">
          <p>Every delivery works, or waits for its first event.</p>
        </div>
      )}
      {failed && failed.length > 0 && <Stopped directories={failed} reload={overview.reload} />}
      {isPart && <FirstOnly />}
      <Filters>
        <ChoiceFilter name="status" label="Status" any="All" options={wordsOf(deliveryStatuses)} />
        {session.product === null && <TextFilter name="product" label="Product" />}
      </Filters>
      <List
        label="Deliveries"
        read={read}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Delivery',
            kind: 'name',
            cell: (delivery) => (
              <a href={hrefOf(`/directories/${delivery.directory_id}/deliveries/${delivery.id}`)}>{describeTypes(delivery.event_types)}</a>
            ),
          },
          {
            title: 'Directory',
            cell: ({ directory_id: id, directory }) => (
              <a class="isolated" href={deliveriesHref(id)}>
                {directory.name}
              </a>
            ),
          },
          { title: 'Product', cell: ({ directory }) => <span class="isolated">{directory.product}</span> },
          { title: 'Status', cell: (delivery) => <Status {...deliveryStatuses[delivery.status]} /> },
          { title: 'Attempts', kind: 'number', cell: ({ attempts }) => countOf(attempts, 'attempt') },
          { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: 'Next attempt', cell: ({ next_attempt_at: at }) => <Time at={at} none="–" /> },
        ]}
        empty={
          filter.status !== undefined || filter.product !== undefined ? (
            <Empty title="No delivery matches">
              <a class="button" href={hrefOf('/deliveries')}>
                Show all deliveries
              </a>
            </Empty>
          ) : (
            <Empty title="There is no delivery yet">
              <p>Events are delivered to the webhook of a directory. Enter one under “Settings” of the directory.</p>
              <a class="button" href={hrefOf('/directories')}>
                Show all directories
              </a>
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
            { title: 'State', cell: ({ delivery_status: status }) => <DeliveryStatus state={status} /> },
            { title: 'Last error', cell: (directory) => <LastError directory={directory} /> },
            { title: 'Since', cell: ({ failing_since: since }) => <Time at={since} none="–" /> },
            { title: 'Waiting', kind: 'number', cell: ({ backlog }) => countOf(backlog, 'event') },
            { title: 'Next attempt', cell: (directory) => <Time at={directory.next_attempt_at} none="–" /> },
            {
              title: 'Actions',
              cell: ({ id, name, delivery_status: status }) =>
                status === 'failing' && may('deliveries:write') ? (
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
