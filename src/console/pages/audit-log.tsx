import type { AuditEntry } from '../../client/generated/types.ts';
import { api, useRead } from '../api.ts';
import { auditActions } from '../parts/audit-actions.ts';
import { Disclosure } from '../parts/disclosure.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../parts/filters.tsx';
import { PageHead } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { Empty } from '../parts/states.tsx';
import { List } from '../parts/table.tsx';
import { JsonBlock } from '../parts/text-block.tsx';
import { Time } from '../parts/time.tsx';
import { hrefOf, useLocation } from '../router.ts';
import { useMay } from '../session.tsx';

const pageSize = 50;
const texts = ['actor', 'target', 'directory_id', 'tenant'] as const;
const labels: Record<(typeof texts)[number], string> = {
  actor: 'Actor ID',
  target: 'Target ID',
  directory_id: 'Directory ID',
  tenant: 'Tenant',
};

export function AuditLogPage() {
  const { query } = useLocation();
  const filter = Object.fromEntries(['action', ...texts].map((name) => [name, query.get(name) || undefined]));
  const cursor = query.get('cursor') ?? undefined;
  const read = useRead(
    async (options) => {
      const page = await api.auditLog.list({ ...filter, after: cursor, limit: pageSize }, options);
      if (page.error !== null) return page;
      return { ...page, next_cursor: page.list_metadata.has_more ? page.list_metadata.after : null };
    },
    [filter, cursor],
  );
  return (
    <>
      <PageHead title="Audit log" about="Who did what, newest first." />
      <Filters>
        <ChoiceFilter name="action" label="Action" any="All" options={auditActions} />
        {texts.map((name) => (
          <TextFilter key={name} name={name} label={labels[name]} />
        ))}
      </Filters>
      <List
        label="Audit log"
        read={read}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Action', kind: 'name', cell: ({ action }) => <code>{action}</code> },
          { title: 'Actor', cell: ({ actor }) => <Actor actor={actor} /> },
          {
            title: 'About',
            cell: (entry) => (
              <>
                <Targets targets={entry.targets} />
                <Details entry={entry} />
              </>
            ),
          },
          {
            title: 'Result',
            cell: ({ result }) => (result === 'success' ? <Status word="Done" tone="good" /> : <Status word="Refused" tone="bad" />),
          },
          { title: 'When', cell: ({ occurred_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <Empty title="No entry matches">
            <a class="button" href={hrefOf('/audit-log')}>
              Show all entries
            </a>
          </Empty>
        }
      />
    </>
  );
}

const Actor = ({ actor: { type, id, name } }: Pick<AuditEntry, 'actor'>) => (
  <a href={hrefOf('/audit-log', { actor: id })} title={id}>
    <span class="isolated">{name || id}</span> <span class="soft">({type.replaceAll('_', ' ')})</span>
  </a>
);

function Targets({ targets }: Pick<AuditEntry, 'targets'>) {
  const may = useMay();
  if (targets.length === 0) return <span class="soft">–</span>;
  return (
    <ul>
      {targets.map(({ type, id, tenant }) => (
        <li key={`${type} ${id}`}>
          {type === 'directory' && may('directories:read') ? (
            <a href={hrefOf(`/directories/${id}`)}>Directory{tenant !== undefined && <span class="isolated"> of {tenant}</span>}</a>
          ) : (
            <span>
              {type.replaceAll('_', ' ')} <code>{id}</code>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

const Details = ({ entry: { changes, context, position } }: { entry: AuditEntry }) => (
  <Disclosure title="Details">
    <div class="stack">
      {changes && <JsonBlock title="Changes" value={changes} />}
      <p class="soft">
        {context.location ?? 'No address'} · {context.user_agent ?? 'no client'} · request <code>{context.request_id ?? '–'}</code>
        {position !== null && ` · position ${position.toLocaleString()}`}
      </p>
    </div>
  </Disclosure>
);
