import { useState } from 'preact/hooks';
import type { SyncRun } from '../../../client/generated/types.ts';
import { api, useAction, useRead } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Card, Fact, Facts, useTitle } from '../../parts/page.tsx';
import { syncStates } from '../../parts/records.ts';
import { Status } from '../../parts/status.tsx';
import { Failed, Loading, Outdated } from '../../parts/states.tsx';
import { textOf } from '../../parts/error-text.ts';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { hrefOf, navigate } from '../../router.ts';
import { useMay } from '../../session.tsx';
import { describeCounts, describeProgress } from './descriptions.ts';
import type { TabProps } from './tab-props.ts';

const everyMs = 2_000;
const isEnded = ({ finished_at: at }: SyncRun) => at !== null;

/** One sync run, live while it runs. */
export function SyncPage({ directory: { id, name }, reload: reloadDirectory, rest }: TabProps) {
  const [hasEnded, setHasEnded] = useState(false);
  const { value, error, reload } = useRead(
    async (options) => {
      const result = await api.syncs.get(id, rest, options);
      if (result.data) setHasEnded(isEnded(result.data));
      return result;
    },
    [id, rest],
    hasEnded ? {} : { everyMs },
  );
  useTitle(`Sync · ${name}`);
  const run = value?.data;
  if (error && (!run || error.code === 'not_found'))
    return (
      <div class="card">
        <Failed error={error} retry={reload} />
      </div>
    );
  if (!run) return <Loading />;
  const changed = () => {
    reload();
    reloadDirectory();
  };
  return (
    <>
      <div class="head">
        <div>
          <a href={hrefOf(`/directories/${id}/syncs`)}>Syncs</a>
          <h2>
            Sync requested <Time at={run.requested_at} />
          </h2>
        </div>
        <Status {...syncStates[run.state]} />
      </div>
      <Outdated error={error} />
      {run.notice && (
        <div class="note wait" role="status">
          <p>{run.notice}</p>
        </div>
      )}
      {run.error && (
        <div class="note bad" role="status">
          <p>{textOf(run.error)}</p>
        </div>
      )}
      <Actions run={run} changed={changed} />
      <div class="columns">
        <Progress run={run} />
        <Failures run={run} />
      </div>
    </>
  );
}

const triggers: Record<SyncRun['trigger'], string> = {
  schedule: 'The schedule',
  cron: 'A call of the cron route',
  request: 'A request',
  authorization: 'An authorization',
  upload: 'An upload',
};

const Progress = ({ run }: { run: SyncRun }) => (
  <Card title="Progress">
    <Facts>
      <Fact name="Read">{describeProgress(run)}</Fact>
      <Fact name="Planned">{run.planned ? describeCounts(run.planned) : <span class="soft">Known after the comparison</span>}</Fact>
      <Fact name="Changed">{describeCounts(run.changed)}</Fact>
      <Fact name="Pages read">{run.pages.toLocaleString()}</Fact>
      <Fact name="Started by">{triggers[run.trigger]}</Fact>
      <Fact name="Started">
        <Time at={run.started_at} none="Not yet" />
      </Fact>
      <Fact name="Ended">
        <Time at={run.finished_at} none="Not yet" />
      </Fact>
      {run.duration_ms !== null && <Fact name="Took">{(run.duration_ms / 1_000).toFixed(1)} s</Fact>}
    </Facts>
  </Card>
);

const Failures = ({ run: { failed, failures } }: { run: SyncRun }) => (
  <Card title="Failed changes">
    {failed === 0 ? (
      <p class="soft">None</p>
    ) : (
      <>
        <p>{failed.toLocaleString()} changes failed. The first of them:</p>
        <ul class="stack">
          {failures.map(({ external_id: externalId, reason }) => (
            <li key={externalId}>
              <code>{externalId}</code> <span class="bad-text">{reason}</span>
            </li>
          ))}
        </ul>
      </>
    )}
  </Card>
);

function Actions({ run, changed }: { run: SyncRun; changed(): void }) {
  const may = useMay();
  const [asks, setAsks] = useState<'confirm' | 'cancel'>();
  const confirm = useAction(() => api.syncs.start(run.directory_id, { confirm: run.id }));
  const cancel = useAction(() => api.syncs.cancel(run.directory_id, run.id));
  const needsConfirmation = run.state === 'needs_confirmation';
  if ((isEnded(run) && !needsConfirmation) || !may('syncs:write')) return null;
  const doConfirm = async () => {
    const started = await confirm.run();
    if (!started) return;
    announce('Confirmed the removals. A new run applies them.');
    changed();
    navigate(hrefOf(`/directories/${run.directory_id}/syncs/${started.data.id}`));
  };
  const doCancel = async () => {
    if (!(await cancel.run())) return;
    setAsks(undefined);
    announce('Canceled the sync.');
    changed();
  };
  return (
    <>
      <div class="actions">
        {needsConfirmation ? (
          <button type="button" class="button main" onClick={() => setAsks('confirm')}>
            Confirm the removals
          </button>
        ) : (
          <button type="button" class="button" onClick={() => setAsks('cancel')}>
            Cancel the sync
          </button>
        )}
      </div>
      {asks === 'confirm' && (
        <ConfirmDialog
          title="Confirm the removals?"
          confirm="Confirm"
          isDangerous
          isRunning={confirm.isRunning}
          error={confirm.error}
          onConfirm={() => void doConfirm()}
          onCancel={() => setAsks(undefined)}
        >
          <p>
            A new run removes what the provider no longer lists: {run.planned ? describeCounts(run.planned) : 'see the plan'}. To refuse
            them, do nothing: nothing was changed, and the next sync compares again.
          </p>
        </ConfirmDialog>
      )}
      {asks === 'cancel' && (
        <ConfirmDialog
          title="Cancel the sync?"
          confirm="Cancel the sync"
          isRunning={cancel.isRunning}
          error={cancel.error}
          onConfirm={() => void doCancel()}
          onCancel={() => setAsks(undefined)}
        >
          <p>Changes that it has made are kept. The next run continues from there.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
