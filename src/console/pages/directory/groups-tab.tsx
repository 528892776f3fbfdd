import { api, useRead } from '../../api.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Filters, TextFilter } from '../../parts/filters.tsx';
import { Card, Fact, Facts, useTitle } from '../../parts/page.tsx';
import { personName } from '../../parts/records.ts';
import { Empty, Failed, Loading, Outdated } from '../../parts/states.tsx';
import { List } from '../../parts/table.tsx';
import { JsonBlock } from '../../parts/text-block.tsx';
import { Time } from '../../parts/time.tsx';
import { countOf } from '../../parts/words.ts';
import { hrefOf, useLocation } from '../../router.ts';
import { groupHref, userHref } from './links.ts';
import type { TabProps } from './tab-props.ts';
import { UserState } from './user-state.tsx';

const pageSize = 50;
const everyMs = 15_000;

export const GroupsTab = ({ directory, rest }: TabProps) =>
  rest === '' ? <GroupList directory={directory} /> : <GroupPage directory={directory} groupId={rest} />;

function GroupList({ directory: { id } }: Pick<TabProps, 'directory'>) {
  const { query, path } = useLocation();
  const externalId = query.get('external_id') || undefined;
  const cursor = query.get('cursor') ?? undefined;
  const read = useRead(
    (options) => api.groups.list({ directory_id: id, idp_id: externalId, cursor, limit: pageSize }, options),
    [id, externalId, cursor],
  );
  return (
    <>
      <Filters>
        <TextFilter name="external_id" label="External ID" />
      </Filters>
      <List
        label="Groups"
        read={read}
        keyOf={(group) => group.id}
        columns={[
          { title: 'Name', kind: 'name', cell: (group) => <a href={groupHref(id, group.id)}>{group.name}</a> },
          { title: 'Members', kind: 'number', cell: ({ member_count: members }) => members.toLocaleString() },
          { title: 'External ID', cell: ({ idp_id: external }) => <span class="isolated">{external ?? '–'}</span> },
          { title: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
        ]}
        empty={
          externalId !== undefined ? (
            <Empty title="No group matches">
              <a class="button" href={hrefOf(path)}>
                Show all groups
              </a>
            </Empty>
          ) : (
            <Empty title="There is no group yet">
              <p>Push groups at the identity provider. Many providers do so only if you turn it on there.</p>
            </Empty>
          )
        }
      />
    </>
  );
}

function GroupPage({ directory, groupId }: Pick<TabProps, 'directory'> & { groupId: string }) {
  const { id } = directory;
  const cursor = useLocation().query.get('cursor') ?? undefined;
  const { value, error, reload } = useRead(
    (options) => api.groups.get(groupId, { directory_id: id, include_members: 'false' }, options),
    [id, groupId],
    { everyMs },
  );
  const members = useRead(
    (options) => api.users.list({ directory_id: id, group_id: groupId, cursor, limit: pageSize }, options),
    [id, groupId, cursor],
  );
  const group = value?.data;
  useTitle(group ? `${group.name} · ${directory.name}` : directory.name);
  if (error && (!group || error.code === 'not_found'))
    return (
      <div class="card">
        <Failed error={error} retry={reload} />
      </div>
    );
  if (!group) return <Loading />;
  return (
    <>
      <div>
        <a href={hrefOf(`/directories/${id}/groups`)}>Groups</a>
        <h2 class="isolated">{group.name}</h2>
        <p class="soft">{countOf(group.member_count, 'member')}</p>
      </div>
      <Outdated error={error} />
      <List
        label="Members"
        read={members}
        keyOf={(user) => user.id}
        columns={[
          { title: 'Name', kind: 'name', cell: (user) => <a href={userHref(id, user.id)}>{personName(user)}</a> },
          { title: 'E-mail', kind: 'email', cell: ({ email }) => <span class="isolated">{email || '–'}</span> },
          { title: 'State', cell: (user) => <UserState state={user.state} /> },
        ]}
        empty={
          <Empty title="The group has no members">
            <p>An identity provider sends a group's members after the group itself, and only users that it has assigned.</p>
          </Empty>
        }
      />
      <NestedGroups directoryId={id} groupId={groupId} />
      <Card title="Group">
        <Facts>
          <Fact name="ID">
            <code>{group.id}</code>
            <CopyButton text={group.id} what="ID" />
          </Fact>
          <Fact name="External ID">
            <span class="isolated">{group.idp_id ?? '–'}</span>
          </Fact>
          <Fact name="Created">
            <Time at={group.created_at} />
          </Fact>
          <Fact name="Changed">
            <Time at={group.updated_at} />
          </Fact>
        </Facts>
        <JsonBlock title="Raw" value={withoutMembers(group.raw)} />
      </Card>
    </>
  );
}

/** The members are listed above, by page. */
const withoutMembers = (raw: Record<string, unknown>) => Object.fromEntries(Object.entries(raw).filter(([name]) => name !== 'members'));

/** Absent when the group has none, which is usual. */
function NestedGroups({ directoryId, groupId }: { directoryId: string; groupId: string }) {
  const { value } = useRead(
    (options) => api.groups.nestedGroups(groupId, { directory_id: directoryId, limit: pageSize }, options),
    [directoryId, groupId],
  );
  if (!value || value.data.length === 0) return null;
  return (
    <Card title="Nested groups">
      <ul class="stack">
        {value.data.map((group) => (
          <li key={group.id}>
            <a class="isolated" href={groupHref(directoryId, group.id)}>
              {group.name}
            </a>
          </li>
        ))}
      </ul>
      {value.next_cursor && <p class="soft">These are the first {pageSize} nested groups.</p>}
    </Card>
  );
}
