import type { User } from '../../../client/generated/types.ts';
import { api, useRead } from '../../api.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Card, Fact, Facts, useTitle } from '../../parts/page.tsx';
import { personName } from '../../parts/records.ts';
import { Failed, Loading, Outdated } from '../../parts/states.tsx';
import { JsonBlock } from '../../parts/text-block.tsx';
import { Time } from '../../parts/time.tsx';
import { countOf } from '../../parts/words.ts';
import { hrefOf } from '../../router.ts';
import { groupHref } from './links.ts';
import type { TabProps } from './tab-props.ts';
import { Timeline } from './timeline.tsx';
import { UserState } from './user-state.tsx';

const everyMs = 15_000;
const shownGroups = 100;

/** One user: what is known, and what happened. */
export function UserPage({ directory, userId }: Pick<TabProps, 'directory'> & { userId: string }) {
  const { id } = directory;
  const { value, error, reload } = useRead((options) => api.users.get(userId, { directory_id: id }, options), [id, userId], { everyMs });
  const user = value?.data;
  useTitle(user ? `${personName(user)} · ${directory.name}` : directory.name);
  if (error && (!user || error.code === 'not_found'))
    return (
      <>
        <div class="card">
          <Failed error={error} retry={reload} />
        </div>
        <Timeline directory={directory} userId={userId} user={error.code === 'not_found' ? 'none' : undefined} />
      </>
    );
  if (!user) return <Loading />;
  return (
    <>
      <div class="head">
        <div>
          <a href={hrefOf(`/directories/${id}/users`)}>Users</a>
          <h2 class="isolated">{personName(user)}</h2>
        </div>
        <UserState state={user.state} />
      </div>
      <Outdated error={error} />
      <div class="columns">
        <MappedFields user={user} />
        <Groups directoryId={id} userId={user.id} />
      </div>
      <Timeline directory={directory} userId={user.id} user={user} />
      <Card title="As the identity provider sent it">
        <JsonBlock title="Raw" value={user.raw} />
      </Card>
    </>
  );
}

const Value = ({ value, what }: { value: string | null; what: string }) =>
  value ? (
    <>
      <span class="isolated">{value}</span>
      <CopyButton text={value} what={what} />
    </>
  ) : (
    <span class="soft">None</span>
  );

const MappedFields = ({ user }: { user: User }) => (
  <Card title="Mapped fields">
    <Facts>
      <Fact name="ID">
        <Value value={user.id} what="ID" />
      </Fact>
      <Fact name="User name">
        <Value value={user.user_name} what="User name" />
      </Fact>
      <Fact name="E-mail">
        <Value value={user.email} what="E-mail" />
      </Fact>
      <Fact name="External ID">
        <Value value={user.idp_id} what="External ID" />
      </Fact>
      <Fact name="First name">
        <span class="isolated">{user.first_name || '–'}</span>
      </Fact>
      <Fact name="Last name">
        <span class="isolated">{user.last_name || '–'}</span>
      </Fact>
      {user.roles && user.roles.length > 0 && (
        <Fact name="Roles">
          <span class="isolated">{user.roles.map((role) => (typeof role === 'string' ? role : JSON.stringify(role))).join(', ')}</span>
        </Fact>
      )}
      <Fact name="Created">
        <Time at={user.created_at} />
      </Fact>
      <Fact name="Changed">
        <Time at={user.updated_at} />
      </Fact>
    </Facts>
  </Card>
);

function Groups({ directoryId, userId }: { directoryId: string; userId: string }) {
  const { value, error, reload } = useRead(
    (options) => api.users.groups(userId, { directory_id: directoryId, limit: shownGroups }, options),
    [directoryId, userId],
  );
  return (
    <Card title="Groups">
      {error && <Failed error={error} retry={reload} />}
      {!value && !error && <Loading />}
      {value?.data.length === 0 && (
        <p class="soft">The user is in no group. Many applications grant access by group: push a group at the identity provider.</p>
      )}
      <ul class="stack">
        {value?.data.map((group) => (
          <li class="line" key={group.id}>
            <a class="isolated" href={groupHref(directoryId, group.id)}>
              {group.name}
            </a>
            <span class="soft">{countOf(group.member_count, 'member')}</span>
          </li>
        ))}
      </ul>
      {value?.next_cursor && <p class="soft">These are the first {shownGroups} groups.</p>}
    </Card>
  );
}
