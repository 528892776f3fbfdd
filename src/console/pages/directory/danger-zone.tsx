import { useState } from 'preact/hooks';
import type { ClientError } from '../../../client/result.ts';
import { api, useAction } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EventsDialog, isConfirmationNeeded } from '../../parts/events-dialog.tsx';
import { Card } from '../../parts/page.tsx';
import { announce } from '../../parts/toasts.tsx';
import { countOf } from '../../parts/words.ts';
import { hrefOf, navigate } from '../../router.ts';
import { useMay } from '../../session.tsx';
import type { TabProps } from './tab-props.ts';

type DeletionQuery = NonNullable<Parameters<typeof api.directories.delete>[1]>;

export function DangerZone({ directory, reload }: Omit<TabProps, 'rest'>) {
  const { id, name, deactivated, health, state, on_directory_delete: onDelete } = directory;
  const isDeleting = state === 'deleting';
  const may = useMay();
  const [asks, setAsks] = useState<'deactivate' | 'delete'>();
  const deactivate = useAction(() => api.directories.update(id, { deactivated: !deactivated, include_secrets: false }));
  const remove = useAction((query: DeletionQuery) => api.directories.delete(id, query));
  const [declined, setDeclined] = useState<ClientError>();
  const needed = isConfirmationNeeded(remove.error) && remove.error !== declined ? remove.error : undefined;
  const askToDelete = () => {
    // What the dialog says depends on settings that others may have changed.
    reload();
    setAsks('delete');
  };
  const toggle = async () => {
    if (!(await deactivate.run())) return;
    setAsks(undefined);
    announce(deactivated ? 'Activated the directory.' : 'Deactivated the directory.');
    reload();
  };
  const confirmDeletion = async (query: DeletionQuery) => {
    const removed = await remove.run(query);
    if (!removed) return;
    setAsks(undefined);
    if (removed.data.state === undefined) {
      announce('Deleted the directory.');
      return navigate(hrefOf('/directories'));
    }
    announce('The directory is deleted once its events are delivered.');
    reload();
  };
  return (
    <Card title="Deactivate or delete">
      {may('directories:write') && !isDeleting && (
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
          <p class="soft">
            {isDeleting
              ? 'The directory is being deleted: it waits until its events are delivered.'
              : 'Deletes the directory with its users, groups and events.'}
          </p>
          <button type="button" class="button danger" onClick={askToDelete}>
            {isDeleting ? 'Delete now' : 'Delete'}
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
      {asks === 'delete' && !needed && (
        <ConfirmDialog
          title="Delete the directory?"
          confirm="Delete"
          isDangerous
          typed={name}
          isRunning={remove.isRunning}
          error={isConfirmationNeeded(remove.error) ? undefined : remove.error}
          onConfirm={() => void confirmDeletion(isDeleting ? { force: 'true' } : {})}
          onCancel={() => setAsks(undefined)}
        >
          <p>
            {countOf(health.users, 'user')}, {countOf(health.groups, 'group')} and all events are deleted
            {onDelete === 'events' && !isDeleting
              ? ', once your application has received their removal.'
              : ', delivered or not. Your application gets no event about it.'}{' '}
            It cannot be undone.
          </p>
        </ConfirmDialog>
      )}
      {asks === 'delete' && needed && (
        <EventsDialog
          title="Send these events, and delete the directory?"
          confirm="Send and delete"
          isDangerous
          needed={needed}
          onConfirm={(events) => void confirmDeletion({ confirm: events })}
          onCancel={() => {
            setDeclined(needed);
            setAsks(undefined);
          }}
        />
      )}
    </Card>
  );
}
