import { useState } from 'preact/hooks';
import { api, useAction } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ActionError } from '../../parts/states.tsx';
import { announce } from '../../parts/toasts.tsx';
import { useMay } from '../../session.tsx';
import { describeCounts, uncounted } from './preview-counts.ts';

interface RemoveRolesProps {
  directoryId: string;
  /** The stored table, as text. */
  stored: string;
  onRemoved(): void;
}

/** "Remove the table". Before it asks, it counts the events that the removal sends. */
export function RemoveRoles({ directoryId, stored, onRemoved }: RemoveRolesProps) {
  const may = useMay();
  /** What the open question is about: the table, and what its removal sends. */
  const [asked, setAsked] = useState<{ stored: string; effect: string }>();
  const preview = useAction(() => api.roles.preview(directoryId, { groups: null }));
  const ask = async () => {
    if (!may('people:read')) setAsked({ stored, effect: uncounted });
    else if (!preview.isRunning) {
      const counted = await preview.run();
      if (counted) setAsked({ stored, effect: describeCounts(counted.data) });
    }
  };
  const finish = () => {
    setAsked(undefined);
    onRemoved();
  };
  return (
    <>
      {/* A disabled button would lose the focus, which the dialog gives back to it. */}
      <button type="button" class="button danger" onClick={() => void ask()}>
        Remove the table
      </button>
      <ActionError error={preview.error} />
      {asked && (
        <RemoveDialog
          directoryId={directoryId}
          effect={asked.effect}
          isOutdated={asked.stored !== stored}
          onDone={finish}
          onCancel={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

interface RemoveDialogProps {
  directoryId: string;
  effect: string;
  /** Whether the table is another one than that whose removal was counted. */
  isOutdated: boolean;
  onDone(): void;
  onCancel(): void;
}

function RemoveDialog({ directoryId, effect, isOutdated, onDone, onCancel }: RemoveDialogProps) {
  const remove = useAction(() => api.roles.delete(directoryId));
  const confirm = async () => {
    if (!(await remove.run())) return;
    announce('Removed the role table.');
    onDone();
  };
  return (
    <ConfirmDialog
      title="Remove the role table?"
      confirm="Remove"
      isDangerous
      isRunning={remove.isRunning || isOutdated}
      error={remove.error}
      onConfirm={() => void confirm()}
      onCancel={onCancel}
    >
      <p>
        Users have the roles again that the identity provider pushes, and no <code>role</code>.
      </p>
      <p>{isOutdated ? outdated : effect}</p>
      <p class="soft">All users are computed in the background.</p>
    </ConfirmDialog>
  );
}

const outdated = 'Somebody else has changed the role table since this was counted. Cancel, and remove the table again.';
