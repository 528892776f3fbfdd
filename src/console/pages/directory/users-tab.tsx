import { useRead } from '../../api.ts';
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { oneOf, personName } from '../../parts/records.ts';
import { Empty } from '../../parts/states.tsx';
import { List } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { isPulled } from '../../parts/words.ts';
import { hrefOf, useLocation } from '../../router.ts';
import { useMay } from '../../session.tsx';
import { findUsers } from './find-users.ts';
import { userHref } from './links.ts';
import type { TabProps } from './tab-props.ts';
import { UserPage } from './user-page.tsx';
import { UserState, userStates } from './user-state.tsx';

export const UsersTab = ({ directory, rest }: TabProps) =>
  rest === '' ? <UserList directory={directory} /> : <UserPage directory={directory} userId={rest} />;

function UserList({ directory: { id, type } }: Pick<TabProps, 'directory'>) {
  const { query, path } = useLocation();
  const search = query.get('search') ?? '';
  const state = oneOf(query.get('state'), userStates);
  const cursor = query.get('cursor') ?? undefined;
  const may = useMay();
  const read = useRead((options) => findUsers(id, { search, state, cursor }, options), [id, search, state, cursor]);
  return (
    <>
      <Filters>
        <TextFilter name="search" label="Search by part of the name, email or external ID, or by ID" />
        <ChoiceFilter name="state" label="State" any="All" options={userStates} />
      </Filters>
      <List
        label="Users"
        read={read}
        keyOf={(user) => user.id}
        columns={[
          { title: 'Name', kind: 'name', cell: (user) => <a href={userHref(id, user.id)}>{personName(user)}</a> },
          { title: 'E-mail', kind: 'email', cell: ({ email }) => <span class="isolated">{email || '–'}</span> },
          { title: 'External ID', cell: ({ idp_id: externalId }) => <span class="isolated">{externalId ?? '–'}</span> },
          { title: 'State', cell: (user) => <UserState state={user.state} /> },
          { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
        ]}
        empty={
          search !== '' || state !== undefined ? (
            <Empty title="No user matches">
              <p>The search matches part of the name, user name, email address or external ID, or a whole ID.</p>
              {search !== '' && !isPulled(type) && may('people:read') && (
                <>
                  <p>A request of the identity provider may have failed to create the user.</p>
                  <a class="button isolated" href={hrefOf(`/directories/${id}/requests`, { user: search })}>
                    Requests about “{search}”
                  </a>
                </>
              )}
              <a class="button" href={hrefOf(path)}>
                Show all users
              </a>
            </Empty>
          ) : (
            <Empty title="There is no user yet">
              <p>
                {isPulled(type)
                  ? 'A sync reads the users of the provider. “Syncs” shows what each one did.'
                  : 'Assign users to the application at the identity provider. “SCIM requests” shows its requests.'}
              </p>
            </Empty>
          )
        }
      />
    </>
  );
}
