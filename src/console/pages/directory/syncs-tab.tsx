import { api, useAction, useRead } from '../../api.ts';
import { syncStates } from '../../parts/records.ts';
import { Status } from '../../parts/status.tsx';
import { ActionError, Empty } from '../../parts/states.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { hrefOf, useLocation } from '../../router.ts';
import { useMay } from '../../session.tsx';
import { describeCounts, describeProgress } from './descriptions.ts';
import { SyncPage } from './sync-page.tsx';
import type { TabProps } from './tab-props.ts';

const pageSize = 20;
const everyMs = 2_000;

export const SyncsTab = (props: TabProps) => (props.rest === '' ? <SyncList {...props} /> : <SyncPage {...props} />);

function SyncList({ directory, reload }: TabProps) {
  const { id } = directory;
  const may = useMay();
  const cursor = useLocation().query.get('cursor') ?? undefined;
  const read = useRead(
    (options) => api.syncs.list(id, { cursor, limit: pageSize }, options),
    [id, cursor],
    cursor === undefined ? { everyMs } : {},
  );
  const start = useAction(() => api.syncs.start(id));
  const begin = async () => {
    if (!(await start.run())) return;
    announce('Started the sync.');
    read.reload();
    reload();
  };
  return (
    <>
      {may('syncs:write') && directory.state === 'active' && (
        <div class="actions">
          <button type="button" class="button main" disabled={start.isRunning} onClick={() => void begin()}>
            Sync now
          </button>
        </div>
      )}
      <ActionError error={start.error} />
      <List
        label="Syncs"
        read={read}
        keyOf={(run) => run.id}
        columns={[
          {
            title: 'Requested',
            kind: 'name',
            cell: (run) => (
              <a href={hrefOf(`/directories/${id}/syncs/${run.id}`)}>
                <Time at={run.requested_at} />
              </a>
            ),
          },
          { title: 'State', cell: (run) => <Status {...syncStates[run.state]} /> },
          { title: 'Progress', cell: (run) => describeProgress(run) },
          { title: 'Planned', cell: ({ planned }) => (planned ? describeCounts(planned) : '–') },
          { title: 'Changed', cell: ({ changed }) => describeCounts(changed) },
        ]}
        empty={
          <Empty title="There was no sync yet">
            <p>
              {directory.type === 'csv'
                ? 'A sync reads the uploaded files. The first one begins with the first upload.'
                : 'A sync reads the users and groups of the provider. The first one begins after an administrator has authorized it.'}
            </p>
          </Empty>
        }
      />
    </>
  );
}
