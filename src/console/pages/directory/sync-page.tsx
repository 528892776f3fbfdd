import { useState } from 'preact/hooks';
import type { DirectoryWithHealth, SyncRun } from '../../../client/generated/types.ts';
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
const waitingEveryMs = 10_000;
const isEnded = ({ finished_at: at }: SyncRun) => at !== null;
/** Somebody else may decide on a run that waits. */
const pollMsOf = (run: SyncRun) => (run.state === 'needs_confirmation' ? waitingEveryMs : isEnded(run) ? undefined : everyMs);

/** One sync run, live while it runs. */
export function SyncPage({ directory: { id, name, health }, reload: reloadDirectory, rest }: TabProps) {
  const [pollMs, setPollMs] = useState<number | undefined>(everyMs);
  const { value, error, reload } = useRead(
    async (options) => {
      const result = await api.syncs.get(id, rest, options);
      if (result.data) setPollMs(pollMsOf(result.data));
      return result;
    },
    [id, rest],
    pollMs === undefined ? {} : { everyMs: pollMs },
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
      {!isOver(run, health.sync) && <Actions run={run} changed={changed} />}
      <div class="columns">
        <Progress run={run} />
        <Failures run={run} />
      </div>
    </>
  );
}

/** Whether a later run has decided in place of one that waits, or does so now. */
const isOver = ({ id, state }: SyncRun, newest: DirectoryWithHealth['health']['sync']) =>
  state === 'needs_confirmation' && newest !== undefined && newest.run_id !== id && !['failed', 'canceled'].includes(newest.state);

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
  const cancelWord = needsConfirmation ? 'Refuse the removals' : 'Cancel the sync';
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
    announce(needsConfirmation ? 'Refused the removals.' : 'Canceled the sync.');
    changed();
  };
  return (
    <>
      <div class="actions">
        {needsConfirmation && (
          <button type="button" class="button main" onClick={() => setAsks('confirm')}>
            Confirm the removals
          </button>
        )}
        <button type="button" class="button" onClick={() => setAsks('cancel')}>
          {cancelWord}
        </button>
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
          <p>A new run removes what the provider no longer lists: {run.planned ? describeCounts(run.planned) : 'see the plan'}.</p>
        </ConfirmDialog>
      )}
      {asks === 'cancel' && (
        <ConfirmDialog
          title={`${cancelWord}?`}
          confirm={cancelWord}
          isRunning={cancel.isRunning}
          error={cancel.error}
          onConfirm={() => void doCancel()}
          onCancel={() => setAsks(undefined)}
        >
          <p>
            {needsConfirmation
              ? 'Nothing was changed. Files that the sync has read are discarded. The next sync asks again if the provider still does not list them.'
              : 'Changes that it has made are kept. The next run continues from there.'}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
