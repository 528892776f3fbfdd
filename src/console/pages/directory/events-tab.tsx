import type { DirectoryEvent } from '../../../client/generated/types.ts';
import { api, useRead } from '../../api.ts';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { eventName, eventNames, oneOf, personName } from '../../parts/records.ts';
import { Empty } from '../../parts/states.tsx';
import { List } from '../../parts/table.tsx';
import { JsonBlock } from '../../parts/text-block.tsx';
import { Time } from '../../parts/time.tsx';
import { setQuery, useLocation } from '../../router.ts';
import { groupHref, userHref } from './links.ts';
import type { TabProps } from './tab-props.ts';

const pageSize = 50;
const everyMs = 2_000;

/** Newest first. The first page follows what happens, unless somebody pauses it. */
export function EventsTab({ directory: { id } }: TabProps) {
  const { query } = useLocation();
  const type = oneOf(query.get('type'), eventNames);
  const cursor = query.get('cursor') ?? undefined;
  const isLive = cursor === undefined && query.get('live') !== 'off';
  const read = useRead(
    async (options) => {
      const page = await api.events.list(
        { directory_id: id, order: 'desc', limit: pageSize, ...(type && { events: type }), ...(cursor !== undefined && { after: cursor }) },
        options,
      );
      if (page.error !== null) return page;
      return { ...page, next_cursor: page.list_metadata.has_more ? page.list_metadata.after : null };
    },
    [id, type, cursor],
    isLive ? { everyMs } : {},
  );
  // A page looks at a limited number of events, and may find none among them.
  const hasMore = typeof read.value?.next_cursor === 'string';
  return (
    <>
      <Filters>
        <ChoiceFilter name="type" label="Type" any="All types" options={eventNames} />
        {cursor === undefined && (
          <button type="button" class="button" onClick={() => setQuery({ live: isLive ? 'off' : undefined })}>
            {isLive ? 'Pause updates' : 'Resume updates'}
          </button>
        )}
      </Filters>
      <List
        label="Events"
        read={read}
        keyOf={(event) => event.id}
        columns={[
          { title: 'Event', kind: 'name', cell: ({ event }) => eventName(event) },
          {
            title: 'About',
            cell: (event) => (
              <>
                <Subject event={event} directoryId={id} />
                <Body event={event} />
              </>
            ),
          },
          { title: 'Sequence', kind: 'number', cell: ({ sequence }) => sequence.toLocaleString() },
          { title: 'Cause', cell: ({ reason }) => reason ?? '–' },
          { title: 'When', cell: ({ occurred_at: at }) => <Time at={at} /> },
        ]}
        empty={
          type === undefined ? (
            <Empty title="There is no event yet">
              <p>An event appears here when the identity provider changes a user or a group.</p>
            </Empty>
          ) : (
            <Empty title={hasMore ? 'None of the events looked at is of this type' : 'There is no event of this type'}>
              {hasMore && <p>The next page looks at older events.</p>}
              <button type="button" class="button" onClick={() => setQuery({ type: undefined })}>
                Show all types
              </button>
            </Empty>
          )
        }
      />
    </>
  );
}

function Subject({ event, directoryId }: { event: DirectoryEvent; directoryId: string }) {
  const { data } = event;
  if (!data) return <span class="soft">The body is no longer kept</span>;
  if ('name' in data) return <Link href={groupHref(directoryId, data.id)} text={data.name} />;
  return (
    <span class="line">
      <Link href={userHref(directoryId, data.id)} text={personName(data)} />
      {'group' in data && (
        <>
          {event.event === 'group.user_added' ? 'to' : 'from'} <Link href={groupHref(directoryId, data.group.id)} text={data.group.name} />
        </>
      )}
    </span>
  );
}

const Link = ({ href, text }: { href: string; text: string }) => (
  <a class="isolated" href={href}>
    {text}
  </a>
);

const Body = ({ event }: { event: DirectoryEvent }) =>
  event.data && (
    <details>
      <summary>Body</summary>
      <JsonBlock title={`Event ${event.sequence}`} value={event} />
    </details>
  );
