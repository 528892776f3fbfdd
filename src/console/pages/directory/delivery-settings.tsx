import { useState } from 'preact/hooks';
import { api, useAction } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Card, Fact, Facts } from '../../parts/page.tsx';
import { DeliveryStatus } from '../../parts/status.tsx';
import { ActionError } from '../../parts/states.tsx';
import { announce } from '../../parts/toasts.tsx';
import { countOf } from '../../parts/words.ts';
import { useMay } from '../../session.tsx';
import type { TabProps } from './tab-props.ts';

/** From where a delivery continues. */
type From = 'backlog' | 'now';

export function DeliverySettings({ directory: { id, health, webhook }, reload }: Omit<TabProps, 'rest'>) {
  const may = useMay();
  const [asks, setAsks] = useState<'pause' | 'resume'>();
  const pause = useAction(() => api.deliveries.pause(id));
  const resume = useAction((from: From) => api.deliveries.resume(id, { from }));
  const test = useAction(() => api.webhooks.test(id));
  const { status, backlog, reason } = health.delivery;
  const isResumable = status === 'paused' || status === 'disabled';
  const finish = async (act: Promise<unknown>, text: string) => {
    if ((await act) === undefined) return;
    setAsks(undefined);
    announce(text);
    reload();
  };
  return (
    <Card title="Delivery" actions={<DeliveryStatus state={status} />}>
      <Facts>
        <Fact name="Waiting">{countOf(backlog, 'event')}</Fact>
        {reason && (
          <Fact name="Reason">
            <span class="bad-text">{reason}</span>
          </Fact>
        )}
      </Facts>
      {may('deliveries:write') && webhook.endpoint !== '' && (
        <div class="actions">
          {isResumable ? (
            <button type="button" class="button main" onClick={() => setAsks('resume')}>
              Resume
            </button>
          ) : (
            (status === 'active' || status === 'failing') && (
              <button type="button" class="button" onClick={() => setAsks('pause')}>
                Pause
              </button>
            )
          )}
          <button type="button" class="button" disabled={test.isRunning} onClick={() => void test.run()}>
            Send a test
          </button>
        </div>
      )}
      <ActionError error={test.error} />
      {test.result && (
        <div class={`note ${test.result.data.outcome === 'success' ? 'good' : 'bad'}`} role="status">
          <p>
            {test.result.data.outcome === 'success'
              ? `The receiver acknowledged the test with ${test.result.data.status_code}.`
              : (test.result.data.error ?? `The receiver responded with ${test.result.data.status_code}.`)}
          </p>
        </div>
      )}
      {asks === 'pause' && (
        <ConfirmDialog
          title="Pause the delivery?"
          confirm="Pause"
          isRunning={pause.isRunning}
          error={pause.error}
          onCancel={() => setAsks(undefined)}
          onConfirm={() => void finish(pause.run(), 'Paused the delivery.')}
        >
          <p>Events wait in order until you resume the delivery. The identity provider is not affected.</p>
        </ConfirmDialog>
      )}
      {asks === 'resume' && (
        <ResumeDialog
          backlog={backlog}
          action={resume}
          onCancel={() => setAsks(undefined)}
          onConfirm={(from) => void finish(resume.run(from), 'Resumed the delivery.')}
        />
      )}
    </Card>
  );
}

interface ResumeDialogProps {
  backlog: number;
  action: Pick<ReturnType<typeof useAction>, 'error' | 'isRunning'>;
  onConfirm(from: From): void;
  onCancel(): void;
}

function ResumeDialog({ backlog, action: { error, isRunning }, onConfirm, onCancel }: ResumeDialogProps) {
  const [from, setFrom] = useState<From>('backlog');
  return (
    <ConfirmDialog
      title="Resume the delivery?"
      confirm="Resume"
      isDangerous={from === 'now'}
      isRunning={isRunning}
      error={error}
      onCancel={onCancel}
      onConfirm={() => onConfirm(from)}
    >
      <fieldset class="choices">
        <legend>Where to continue</legend>
        <label class="check">
          <input type="radio" name="from" checked={from === 'backlog'} onChange={() => setFrom('backlog')} />
          With what waits: {countOf(backlog, 'event')}
        </label>
        <label class="check">
          <input type="radio" name="from" checked={from === 'now'} onChange={() => setFrom('now')} />
          From now: waiting events are skipped. Only a replay can send them, while their bodies are kept
        </label>
      </fieldset>
    </ConfirmDialog>
  );
}
