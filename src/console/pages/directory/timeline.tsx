import type { User } from '../../../client/generated/types.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Card } from '../../parts/page.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { JsonBlock, TextBlock } from '../../parts/text-block.tsx';
import { Time } from '../../parts/time.tsx';
import { isPulled } from '../../parts/words.ts';
import { hrefOf } from '../../router.ts';
import { useMay } from '../../session.tsx';
import { deliveryHref } from './links.ts';
import type { TabProps } from './tab-props.ts';
import { findReasons, type TimelineItem, toTimeline } from './timeline-items.ts';
import { useTimeline } from './use-timeline.ts';

interface TimelineProps extends Pick<TabProps, 'directory'> {
  userId: string;
  /** Undefined: it could not be read; `none`: there is no such user. */
  user: User | 'none' | undefined;
}

/** Requests, events and deliveries that concerned a user, on one screen: why is Ada not in my application? */
export function Timeline({ directory, userId, user }: TimelineProps) {
  const { items, isReading, error, hasMore, readFurther, reload } = useTimeline(directory.id, userId);
  const timeline = toTimeline(items);
  const isDone = !isReading && !error;
  return (
    <Card
      title="Timeline"
      actions={
        <button type="button" class="button small" disabled={isReading} onClick={reload}>
          Refresh
        </button>
      }
    >
      {isDone &&
        findReasons(directory, user, items).map(({ tone, text }) => (
          <div class={`note ${tone}`} key={text}>
            <p class="isolated">{text}</p>
          </div>
        ))}
      {error && error.code !== 'not_found' && <Failed error={error} retry={reload} />}
      {timeline.length > 0 && (
        <ol class="timeline">
          {timeline.map((one) => (
            <Entry key={`${one.item.kind} ${one.key}`} entry={one} directoryId={directory.id} />
          ))}
        </ol>
      )}
      {isReading && <Loading />}
      {isDone && timeline.length === 0 && (
        <Empty title={hasMore ? 'Nothing in the newest part of the history' : 'Nothing is kept about the user'}>
          <p>
            Rollcall keeps the last 50 requests about each user, notes at most 100 users of one request, and keeps events and deliveries as
            long as configured.
          </p>
          {hasMore ? (
            <p>“Look further back” reads older events and deliveries.</p>
          ) : (
            <a class="button" href={hrefOf(`/directories/${directory.id}/${isPulled(directory.type) ? 'syncs' : 'requests'}`)}>
              {isPulled(directory.type) ? 'Syncs of the directory' : 'Requests of the identity provider'}
            </a>
          )}
        </Empty>
      )}
      {!isReading && hasMore && (
        <div class="actions">
          <button type="button" class="button" onClick={readFurther}>
            Look further back
          </button>
        </div>
      )}
    </Card>
  );
}

function Entry({ entry: { at, tone, title, problem, about, item }, directoryId }: { entry: TimelineItem; directoryId: string }) {
  const may = useMay();
  return (
    <li class={tone}>
      <p class="line">
        <strong class="isolated">{title}</strong>
        <span class="soft">{about}</span>
        <Time at={at} />
      </p>
      {problem && <p class="bad-text isolated">{problem}</p>}
      {item.kind === 'delivery' && may('deliveries:read') && <a href={deliveryHref(directoryId, item.id)}>Request and response</a>}
      {item.kind === 'event' && item.event.data === null && <p class="soft">Body deleted after delivery</p>}
      {item.kind === 'event' && item.event.data !== null && (
        <Disclosure title="Body">
          <JsonBlock title={title} value={item.event} />
        </Disclosure>
      )}
      {item.kind === 'request' && item.body && (
        <Disclosure title="Body">
          <TextBlock title={title} text={item.body} />
        </Disclosure>
      )}
    </li>
  );
}
