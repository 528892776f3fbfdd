import { useState } from 'preact/hooks';
import type { DeliveryAttempt, DeliveryWithAttempts } from '../../../client/generated/types.ts';
import { api, useAction, useRead } from '../../api.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Card, Fact, Facts, useTitle } from '../../parts/page.tsx';
import { deliveryStatuses, describeTypes, outcomes, sizeOf } from '../../parts/records.ts';
import { Status } from '../../parts/status.tsx';
import { ActionError, Failed, Loading, Outdated } from '../../parts/states.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { countOf } from '../../parts/words.ts';
import { hrefOf } from '../../router.ts';
import { useMay } from '../../session.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import type { TabProps } from './tab-props.ts';

const everyMs = 5_000;

/** One delivery: what was sent, and what came back. */
export function DeliveryPage({ directory: { id, name, health, webhook }, reload: reloadDirectory, rest }: TabProps) {
  const may = useMay();
  const [isReplaying, setIsReplaying] = useState(false);
  const { value, error, reload } = useRead((options) => api.deliveries.get(id, rest, options), [id, rest], { everyMs });
  const retry = useAction(() => api.deliveries.retry(id, rest));
  const delivery = value?.data;
  useTitle(delivery ? `${describeTypes(delivery.event_types)} · ${name}` : name);
  if (error && (!delivery || error.code === 'not_found'))
    return (
      <div class="card">
        <Failed error={error} retry={reload} />
      </div>
    );
  if (!delivery) return <Loading />;
  const isOpen = delivery.status === 'pending' || delivery.status === 'exhausted';
  const isDelivering = health.delivery.status === 'active' || health.delivery.status === 'failing';
  const tryNow = async () => {
    if (!(await retry.run())) return;
    announce('The next attempt begins now.');
    reload();
    reloadDirectory();
  };
  return (
    <>
      <div class="head">
        <div>
          <a href={hrefOf(`/directories/${id}/deliveries`)}>Deliveries</a>
          <h2>{describeTypes(delivery.event_types)}</h2>
        </div>
        <div class="actions">
          <Status {...deliveryStatuses[delivery.status]} />
          {may('deliveries:write') && isOpen && isDelivering && (
            <button type="button" class="button main" disabled={retry.isRunning} onClick={() => void tryNow()}>
              Retry now
            </button>
          )}
          {may('deliveries:write') && !isOpen && delivery.event_count > 0 && webhook.endpoint !== '' && (
            <button type="button" class="button" onClick={() => setIsReplaying(true)}>
              Replay
            </button>
          )}
        </div>
      </div>
      <Outdated error={error} />
      <ActionError error={retry.error} />
      {isOpen && !isDelivering && (
        <div class="note wait">
          <p>
            Nothing is delivered now. The <a href={hrefOf(`/directories/${id}/settings`)}>settings</a> of the directory show why.
          </p>
        </div>
      )}
      <About delivery={delivery} />
      <Card title="Attempts">
        {delivery.attempt_log.length === 0 ? (
          <p class="soft">There was no attempt yet.</p>
        ) : (
          <div class="stack">
            {delivery.attempt_log.toReversed().map((attempt, index) => (
              <Attempt key={attempt.number} attempt={attempt} body={delivery.body} isNewest={index === 0} />
            ))}
            {delivery.attempt_log.every(({ request_headers: headers }) => headers === null) && (
              <p class="soft">
                Headers and responses are kept of deliveries that begin while “Keep event bodies” is on in the{' '}
                <a href={hrefOf(`/directories/${id}/settings`)}>settings</a>.
              </p>
            )}
          </div>
        )}
      </Card>
      {isReplaying && (
        <ReplayDialog
          directoryId={id}
          deliveryId={delivery.id}
          onCancel={() => setIsReplaying(false)}
          onDone={() => {
            setIsReplaying(false);
            reload();
          }}
        />
      )}
    </>
  );
}

const About = ({ delivery }: { delivery: DeliveryWithAttempts }) => (
  <Card title="Delivery">
    <Facts>
      <Fact name="webhook-id">
        <code>{delivery.id}</code>
        <CopyButton text={delivery.id} what="webhook-id" />
      </Fact>
      <Fact name="Events">
        {countOf(delivery.event_count, 'event')}, sequence {delivery.from_sequence.toLocaleString()}
        {delivery.to_sequence !== delivery.from_sequence && ` to ${delivery.to_sequence.toLocaleString()}`}
      </Fact>
      <Fact name="Kind">{delivery.kind === 'live' ? 'New events' : 'Replay'}</Fact>
      <Fact name="Body">{sizeOf(delivery.bytes)}</Fact>
      <Fact name="Created">
        <Time at={delivery.created_at} />
      </Fact>
      {delivery.next_attempt_at && (
        <Fact name="Next attempt">
          <Time at={delivery.next_attempt_at} />
        </Fact>
      )}
      {delivery.done_at && (
        <Fact name="Ended">
          <Time at={delivery.done_at} />
        </Fact>
      )}
    </Facts>
  </Card>
);

const toLines = (headers: Record<string, string> | null) =>
  headers &&
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function Attempt({ attempt, body, isNewest }: { attempt: DeliveryAttempt; body: string | null; isNewest: boolean }) {
  // A newer attempt does not close what somebody reads.
  const [isOpen] = useState(isNewest);
  const { number, outcome, status_code: status, error, timings } = attempt;
  return (
    <section class="attempt block" aria-label={`Attempt ${number}`}>
      <p class="line">
        <strong>Attempt {number}</strong>
        <Status {...outcomes[outcome]} />
        {status !== null && <span>Status {status}</span>}
        <Time at={attempt.started_at} />
        {timings && <span class="soft">{timings.total_ms.toLocaleString()} ms</span>}
        {attempt.trigger === 'replay' && <span class="soft">replay</span>}
      </p>
      {error && <p class="bad-text">{error}</p>}
      <Disclosure title="Request and response" isOpen={isOpen}>
        <div class="columns">
          <div class="stack">
            <p>
              <code>POST {attempt.url}</code> {attempt.address && <span class="soft">({attempt.address})</span>}
            </p>
            <TextBlock title="Request headers" text={toLines(attempt.request_headers)} none="Not kept" />
            <TextBlock title="Request body" text={body} none="Not kept" />
          </div>
          <div class="stack">
            <p>{status === null ? 'There was no response.' : `Status ${status}`}</p>
            <TextBlock title="Response headers" text={toLines(attempt.response_headers)} none="None, or not kept" />
            <TextBlock title="Response body" text={attempt.response_body} none="None, or not kept" />
            {attempt.response_truncated && <p class="soft">Only the first 16 KiB are kept.</p>}
          </div>
        </div>
      </Disclosure>
    </section>
  );
}
