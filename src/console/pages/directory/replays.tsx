import { api, useAction, useRead } from '../../api.ts';
import { Card } from '../../parts/page.tsx';
import { replayStatuses } from '../../parts/records.ts';
import { Status } from '../../parts/status.tsx';
import { ActionError, Outdated } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { useMay } from '../../session.tsx';

const shown = 5;
const everyMs = 5_000;

/** The newest replays; absent when there was none. */
export function Replays({ directoryId }: { directoryId: string }) {
  const may = useMay();
  const { value, error, reload } = useRead((options) => api.replays.list(directoryId, { limit: shown }, options), [directoryId], {
    everyMs,
  });
  const cancel = useAction((replayId: string) => api.replays.cancel(directoryId, replayId));
  if (!value || value.data.length === 0) return null;
  const end = async (replayId: string) => {
    if (!(await cancel.run(replayId))) return;
    announce('Canceled the replay.');
    reload();
  };
  return (
    <Card title="Replays">
      <Outdated error={error} />
      <ActionError error={cancel.error} />
      <div class="flush">
        <Table
          label="Replays"
          rows={value.data}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Status', cell: ({ status }) => <Status {...replayStatuses[status]} /> },
            {
              title: 'Acknowledged',
              cell: ({ done, total, reason }) => (
                <>
                  {done.toLocaleString()} of {total.toLocaleString()}
                  {reason !== null && <p class="bad-text">{reason}</p>}
                </>
              ),
            },
            { title: 'Began', cell: ({ created_at: at }) => <Time at={at} /> },
            {
              title: 'Actions',
              cell: ({ id, status }) =>
                status === 'running' && may('deliveries:write') ? (
                  <button type="button" class="button small" disabled={cancel.isRunning} onClick={() => void end(id)}>
                    Cancel
                  </button>
                ) : (
                  <span class="soft">–</span>
                ),
            },
          ]}
        />
      </div>
    </Card>
  );
}
