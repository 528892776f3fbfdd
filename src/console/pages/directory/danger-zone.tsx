import { useState } from 'preact/hooks';
import { api, useAction } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Card } from '../../parts/page.tsx';
import { announce } from '../../parts/toasts.tsx';
import { countOf } from '../../parts/words.ts';
import { hrefOf, navigate } from '../../router.ts';
import { useMay } from '../../session.tsx';
import type { TabProps } from './tab-props.ts';

export function DangerZone({ directory: { id, name, deactivated, health }, reload }: Omit<TabProps, 'rest'>) {
  const may = useMay();
  const [asks, setAsks] = useState<'deactivate' | 'delete'>();
  const deactivate = useAction(() => api.directories.update(id, { deactivated: !deactivated, include_secrets: false }));
  const remove = useAction(() => api.directories.delete(id));
  const toggle = async () => {
    if (!(await deactivate.run())) return;
    setAsks(undefined);
    announce(deactivated ? 'Activated the directory.' : 'Deactivated the directory.');
    reload();
  };
  const confirmDeletion = async () => {
    if (!(await remove.run())) return;
    announce('Deleted the directory.');
    navigate(hrefOf('/directories'));
  };
  return (
    <Card title="Deactivate or delete">
      {may('directories:write') && (
        <div class="head">
          <p class="soft">
            {deactivated ? 'Requests of the identity provider now fail with 403.' : 'While deactivated, the directory rejects requests.'}
          </p>
          <button type="button" class="button" onClick={() => setAsks('deactivate')}>
            {deactivated ? 'Activate' : 'Deactivate'}
          </button>
        </div>
      )}
      {may('directories:delete') && (
        <div class="head">
          <p class="soft">Deletes the directory with its users, groups and events.</p>
          <button type="button" class="button danger" onClick={() => setAsks('delete')}>
            Delete
          </button>
        </div>
      )}
      {asks === 'deactivate' && (
        <ConfirmDialog
          title={deactivated ? 'Activate the directory?' : 'Deactivate the directory?'}
          confirm={deactivated ? 'Activate' : 'Deactivate'}
          isRunning={deactivate.isRunning}
          error={deactivate.error}
          onConfirm={() => void toggle()}
          onCancel={() => setAsks(undefined)}
        >
          <p>
            {deactivated
              ? 'Requests of the identity provider are accepted again.'
              : 'Requests of the identity provider fail with 403 until you activate the directory. Users and groups stay.'}
          </p>
        </ConfirmDialog>
      )}
      {asks === 'delete' && (
        <ConfirmDialog
          title="Delete the directory?"
          confirm="Delete"
          isDangerous
          typed={name}
          isRunning={remove.isRunning}
          error={remove.error}
          onConfirm={() => void confirmDeletion()}
          onCancel={() => setAsks(undefined)}
        >
          <p>
            {countOf(health.users, 'user')}, {countOf(health.groups, 'group')} and all events are deleted, delivered or not. Your
            application gets no event about it. It cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
