import type { RolePreview } from '../../../client/generated/types.ts';
import { Table } from '../../parts/table.tsx';
import type { RoleRow } from './role-rows.ts';
import { SampleUser } from './sample-user.tsx';

interface RoleSamplesProps {
  directoryId: string;
  /** What was computed. */
  rows: readonly RoleRow[];
  preview: RolePreview;
}

/** Which roles real users get, and which groups do not exist. */
export function RoleSamples({ directoryId, rows, preview: { unmatched, samples } }: RoleSamplesProps) {
  const missing = unmatched.flatMap((place) => rows[place] ?? []);
  return (
    <>
      {missing.length > 0 && (
        <section class="note wait" aria-label="Groups that do not exist">
          <p>These groups do not exist now. Their rows have an effect once they do.</p>
          <ul>
            {missing.map(({ key, named }) => (
              <li key={key} class="isolated">
                {named}
              </li>
            ))}
          </ul>
        </section>
      )}
      {samples.length > 0 && (
        <div class="flush">
          <Table
            label="Roles of some users"
            rows={samples}
            keyOf={({ id }) => id}
            columns={[
              { title: 'User', kind: 'name', cell: ({ id }) => <SampleUser directoryId={directoryId} userId={id} /> },
              { title: 'Roles', cell: ({ roles }) => <Roles roles={roles} /> },
              { title: 'Now', cell: ({ present_roles: roles }) => <Roles roles={roles} /> },
            ]}
          />
        </div>
      )}
    </>
  );
}

/** What a provider pushes can be an object, as SCIM has it. */
const textOf = (role: RolePreview['samples'][number]['present_roles'][number]): string =>
  typeof role === 'string' ? role : typeof role['value'] === 'string' ? role['value'] : JSON.stringify(role);

const Roles = ({ roles }: { roles: RolePreview['samples'][number]['present_roles'] }) =>
  roles.length === 0 ? <span class="soft">None</span> : <span class="isolated">{roles.map(textOf).join(', ')}</span>;
