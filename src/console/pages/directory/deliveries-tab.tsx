import { useState } from 'preact/hooks';
import type { Delivery } from '../../../client/generated/types.ts';
import { api, useRead } from '../../api.ts';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { deliveryStatuses, describeTypes, oneOf, wordsOf } from '../../parts/records.ts';
import { Status } from '../../parts/status.tsx';
import { Empty } from '../../parts/states.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { countOf } from '../../parts/words.ts';
import { hrefOf, useLocation } from '../../router.ts';
import { useMay } from '../../session.tsx';
import { DeliveryPage } from './delivery-page.tsx';
import { deliveryHref } from './links.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { Replays } from './replays.tsx';
import type { TabProps } from './tab-props.ts';

const pageSize = 50;
const everyMs = 5_000;
const filteredEveryMs = 30_000;
const kinds = { live: 'New events', replay: 'Replays' };

export const DeliveriesTab = (props: TabProps) => (props.rest === '' ? <DeliveryList {...props} /> : <DeliveryPage {...props} />);

function DeliveryList({ directory, reload }: TabProps) {
  const { id, webhook } = directory;
  const may = useMay();
  const { query, path } = useLocation();
  const [isReplaying, setIsReplaying] = useState(false);
  const status = oneOf(query.get('status'), deliveryStatuses);
  const kind = oneOf(query.get('kind'), kinds);
  const cursor = query.get('cursor') ?? undefined;
  const read = useRead(
    (options) => api.deliveries.list(id, { status, kind, cursor, limit: pageSize }, options),
    [id, status, kind, cursor],
    // Searching for few rows may read many.
    cursor === undefined ? { everyMs: status === undefined && kind === undefined ? everyMs : filteredEveryMs } : {},
  );
  const finish = () => {
    setIsReplaying(false);
    read.reload();
    reload();
  };
  return (
    <>
      <div class="head">
        <Filters>
          <ChoiceFilter name="status" label="Status" any="All" options={wordsOf(deliveryStatuses)} />
          <ChoiceFilter name="kind" label="Kind" any="All" options={kinds} />
        </Filters>
        {may('deliveries:write') && webhook.endpoint !== '' && (
          <button type="button" class="button" onClick={() => setIsReplaying(true)}>
            Replay
          </button>
        )}
      </div>
      <Replays directoryId={id} />
      <List
        label="Deliveries"
        read={read}
        keyOf={(delivery) => delivery.id}
        columns={[
          {
            title: 'Delivery',
            kind: 'name',
            cell: (delivery) => <a href={deliveryHref(id, delivery.id)}>{describeTypes(delivery.event_types)}</a>,
          },
          { title: 'Status', cell: (delivery) => <Status {...deliveryStatuses[delivery.status]} /> },
          { title: 'Events', cell: (delivery) => <Sequences delivery={delivery} /> },
          { title: 'Attempts', kind: 'number', cell: ({ attempts }) => countOf(attempts, 'attempt') },
          { title: 'Created', cell: (delivery) => <Time at={delivery.created_at} /> },
          { title: 'Next attempt', cell: (delivery) => <Time at={delivery.next_attempt_at} none="–" /> },
        ]}
        empty={
          status !== undefined || kind !== undefined ? (
            <Empty title="No delivery matches">
              <a class="button" href={hrefOf(path)}>
                Show all deliveries
              </a>
            </Empty>
          ) : (
            <Empty title="There is no delivery yet">
              <p>
                {webhook.endpoint === ''
                  ? 'The directory has no webhook. Enter one under “Settings”, or let your application fetch the events.'
                  : 'The first event is sent when the identity provider changes a user or a group.'}
              </p>
            </Empty>
          )
        }
      />
      {isReplaying && <ReplayDialog directoryId={id} onDone={finish} onCancel={() => setIsReplaying(false)} />}
    </>
  );
}

const Sequences = ({ delivery: { event_count: count, from_sequence: from, to_sequence: to } }: { delivery: Delivery }) => (
  <span>
    {countOf(count, 'event')}{' '}
    <span class="soft">{from === to ? `(${from.toLocaleString()})` : `(${from.toLocaleString()}–${to.toLocaleString()})`}</span>
  </span>
);
