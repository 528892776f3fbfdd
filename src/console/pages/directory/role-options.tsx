import { Card, Fact, Facts } from '../../parts/page.tsx';
import { useMay } from '../../session.tsx';
import type { RoleDraft } from './role-rows.ts';

interface RoleOptionsProps {
  draft: RoleDraft;
  onChange(changed: Partial<RoleDraft>): void;
}

/** What holds for all users, beside the rows. */
export function RoleOptions({ draft: { defaultRole, multiple, pushedRoles }, onChange }: RoleOptionsProps) {
  const may = useMay();
  if (!may('directories:write'))
    return (
      <Card title="All users">
        <Facts>
          <Fact name="Default role">
            {defaultRole === '' ? <span class="soft">None</span> : <span class="isolated">{defaultRole}</span>}
          </Fact>
          <Fact name="Roles of a user">{multiple ? 'All, strongest first' : 'The strongest'}</Fact>
          <Fact name="Pushed roles">{pushedRoles === 'include' ? 'Included' : 'Ignored'}</Fact>
        </Facts>
      </Card>
    );
  return (
    <Card title="All users">
      <div class="form">
        <label class="field">
          <span>Default role</span>
          <input
            class="input"
            value={defaultRole}
            maxLength={64}
            autocomplete="off"
            onInput={(event) => onChange({ defaultRole: event.currentTarget.value })}
          />
          <small>Of users who have no other. If empty, they have none.</small>
        </label>
        <label class="check">
          <input type="checkbox" checked={multiple} onChange={(event) => onChange({ multiple: event.currentTarget.checked })} />
          Users have all their roles, and not only the strongest
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={pushedRoles === 'include'}
            onChange={(event) => onChange({ pushedRoles: event.currentTarget.checked ? 'include' : 'ignore' })}
          />
          Roles that the identity provider pushes count, after those of groups
        </label>
      </div>
    </Card>
  );
}
