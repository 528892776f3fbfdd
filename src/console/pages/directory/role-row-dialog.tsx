import { useState } from 'preact/hooks';
import { api, useRead } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useMay } from '../../session.tsx';
import type { RoleRow } from './role-rows.ts';

export type GivenRow = Pick<RoleRow, 'by' | 'named' | 'role'>;

interface RoleRowDialogProps {
  directoryId: string;
  /** Undefined: a new row. */
  row: GivenRow | undefined;
  onApply(row: GivenRow): void;
  onCancel(): void;
}

const suggested = 100;

/** One group and its role. Nothing is saved yet. */
export function RoleRowDialog({ directoryId, row, onApply, onCancel }: RoleRowDialogProps) {
  const may = useMay();
  const [given, setGiven] = useState<GivenRow>(row ?? { by: 'name', named: '', role: '' });
  const apply = () => onApply({ ...given, named: given.by === 'id' ? given.named.trim() : given.named, role: given.role.trim() });
  return (
    <ConfirmDialog title={row ? 'Edit the row' : 'Add a row'} confirm="Apply" onConfirm={apply} onCancel={onCancel}>
      <fieldset class="choices">
        <legend>How the group is named</legend>
        <label class="check">
          <input type="radio" name="by" checked={given.by === 'name'} onChange={() => setGiven({ ...given, by: 'name', named: '' })} />
          By its name, ignoring case; the group may come later
        </label>
        <label class="check">
          <input type="radio" name="by" checked={given.by === 'id'} onChange={() => setGiven({ ...given, by: 'id', named: '' })} />
          By its ID, which stays when the group is renamed
        </label>
      </fieldset>
      <label class="field">
        <span>{given.by === 'name' ? 'Group' : 'Group ID'}</span>
        <input
          class="input"
          value={given.named}
          required
          pattern=".*\S.*"
          maxLength={256}
          autocomplete="off"
          list="group-names"
          onInput={(event) => setGiven({ ...given, named: event.currentTarget.value })}
        />
      </label>
      {may('people:read') && <GroupNames directoryId={directoryId} by={given.by} />}
      <label class="field">
        <span>Role of its members</span>
        <input
          class="input"
          value={given.role}
          required
          pattern=".*\S.*"
          maxLength={64}
          autocomplete="off"
          onInput={(event) => setGiven({ ...given, role: event.currentTarget.value })}
        />
        <small>As your application calls it. Members of nested groups do not get it.</small>
      </label>
    </ConfirmDialog>
  );
}

/** Suggestions. Any other name can be typed. */
function GroupNames({ directoryId, by }: { directoryId: string; by: RoleRow['by'] }) {
  const { value } = useRead((options) => api.groups.list({ directory_id: directoryId, limit: suggested }, options), [directoryId]);
  return (
    <datalist id="group-names">
      {value?.data.map(({ id, name }) => (
        <option key={id} value={by === 'id' ? id : name} label={name} />
      ))}
    </datalist>
  );
}
