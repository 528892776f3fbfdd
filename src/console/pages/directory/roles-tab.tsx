import { useState } from 'preact/hooks';
import type { RoleTable } from '../../../client/generated/types.ts';
import { api, useRead } from '../../api.ts';
import { Empty, Failed, Loading, Outdated } from '../../parts/states.tsx';
import { useMay } from '../../session.tsx';
import { ChangeActions } from './change-actions.tsx';
import { RecomputeProgress } from './recompute-progress.tsx';
import { RemoveRoles } from './remove-roles.tsx';
import { RoleOptions } from './role-options.tsx';
import { type GivenRow, RoleRowDialog } from './role-row-dialog.tsx';
import { nextKey, type RoleDraft, type RoleRow, toDraft, toRequest } from './role-rows.ts';
import { RoleSamples } from './role-samples.tsx';
import { RoleTableRows } from './role-table.tsx';
import type { TabProps } from './tab-props.ts';

const everyMs = 5_000;

/** The table as it was when somebody began to edit it, and what it became. */
interface Editing {
  from: string;
  draft: RoleDraft;
}

/** Which roles follow from which groups. */
export function RolesTab({ directory: { id } }: TabProps) {
  const may = useMay();
  const { value, error, reload } = useRead((options) => api.roles.get(id, options), [id], { everyMs });
  const [editing, setEditing] = useState<Editing>();
  const [edited, setEdited] = useState<RoleRow | 'new'>();
  if (!value) return <div class="card">{error ? <Failed error={error} retry={reload} /> : <Loading />}</div>;
  const table = value.data;
  const stored = storedText(table);
  const draft = editing?.draft ?? toDraft(table);
  const request = toRequest(draft);
  const isChanged = JSON.stringify(request) !== JSON.stringify(toRequest(toDraft(table)));
  const change = (changed: Partial<RoleDraft>) => setEditing({ from: editing?.from ?? stored, draft: { ...draft, ...changed } });
  const apply = (row: RoleRow | 'new', given: GivenRow) => {
    setEdited(undefined);
    const next = (key: number): RoleRow => ({ ...given, key, group: undefined });
    change({
      rows:
        row === 'new' ? [...draft.rows, next(nextKey(draft.rows))] : draft.rows.map((one) => (one.key === row.key ? next(row.key) : one)),
    });
  };
  const finish = () => {
    setEditing(undefined);
    reload();
  };
  return (
    <>
      <Outdated error={error} />
      <RecomputeProgress recompute={table.recompute} />
      {editing && isChanged && editing.from !== stored && (
        <div class="note wait" role="status">
          <p>Somebody else has changed the role table. Discard your changes to see theirs; if you save, yours replace them.</p>
        </div>
      )}
      <div class="card">
        {draft.rows.length === 0 ? (
          <Empty title={table.is_set ? 'The role table would be empty' : 'There is no role table'}>
            <p>
              {table.is_set
                ? 'Add a row, or discard your changes. To go back to the roles that the identity provider pushes, remove the table.'
                : 'Users have the roles that the identity provider pushes. Add a row to give roles to the members of groups.'}
            </p>
          </Empty>
        ) : (
          <RoleTableRows directoryId={id} rows={draft.rows} onChange={(rows) => change({ rows })} onEdit={setEdited} />
        )}
      </div>
      {may('directories:write') && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setEdited('new')}>
            Add a row
          </button>
          {table.is_set && <RemoveRoles directoryId={id} stored={stored} onRemoved={finish} />}
        </div>
      )}
      {draft.rows.length > 0 && (
        <>
          <RoleOptions draft={draft} onChange={change} />
          <ChangeActions
            what="role table"
            draft={JSON.stringify(request)}
            isChanged={isChanged}
            preview={() => api.roles.preview(id, request)}
            save={() => api.roles.set(id, request)}
            onSaved={finish}
            onDiscard={() => setEditing(undefined)}
          >
            {(preview) => <RoleSamples directoryId={id} rows={draft.rows} preview={preview} />}
          </ChangeActions>
        </>
      )}
      {draft.rows.length === 0 && isChanged && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setEditing(undefined)}>
            Discard
          </button>
        </div>
      )}
      {edited !== undefined && (
        <RoleRowDialog
          directoryId={id}
          row={edited === 'new' ? undefined : edited}
          onApply={(given) => apply(edited, given)}
          onCancel={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

/** What others can change. A group that appears meanwhile, or a recomputation, is no change. */
const storedText = ({ groups, default_role: defaultRole, multiple, pushed_roles: pushed }: RoleTable): string =>
  JSON.stringify([groups.map(({ group_id: byId, group_name: byName, role }) => [byId, byName, role]), defaultRole, multiple, pushed]);
