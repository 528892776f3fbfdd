import { useLayoutEffect, useRef } from 'preact/hooks';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { useMay } from '../../session.tsx';
import { groupHref } from './links.ts';
import { move, type RoleRow } from './role-rows.ts';

interface RoleTableRowsProps {
  directoryId: string;
  rows: readonly RoleRow[];
  onChange(rows: RoleRow[]): void;
  onEdit(row: RoleRow): void;
}

type Action = 'up' | 'down' | 'remove';

/** The rows, the strongest first. */
export function RoleTableRows({ directoryId, rows, onChange, onEdit }: RoleTableRowsProps) {
  const may = useMay();
  const table = useRef<HTMLDivElement>(null);
  const focused = useRef<{ key: number; action: Action } | undefined>(undefined);
  // A row that is moved in the page loses the focus. The button at an end is disabled: the other one of the row takes it.
  useLayoutEffect(() => {
    if (!focused.current) return;
    const { key, action } = focused.current;
    focused.current = undefined;
    const find = (wanted: Action) => table.current?.querySelector<HTMLButtonElement>(`[data-action="${key}:${wanted}"]:enabled`);
    (find(action) ?? find('up') ?? find('down'))?.focus();
  });
  const start = (key: number, action: 'up' | 'down') => {
    focused.current = { key, action };
    onChange(move(rows, key, action === 'up' ? -1 : 1));
  };
  const remove = (place: number) => {
    const rest = rows.filter((_, other) => other !== place);
    const next = rest[Math.min(place, rest.length - 1)];
    focused.current = next && { key: next.key, action: 'remove' };
    onChange(rest);
  };
  const actions = (row: RoleRow) => {
    const place = rows.indexOf(row);
    const name = row.group?.name ?? row.named;
    const position = `${place + 1} of ${rows.length}`;
    return (
      <span class="actions">
        <button
          type="button"
          class="button small"
          data-action={`${row.key}:up`}
          aria-label={`Move up: ${name}, ${position}`}
          disabled={place === 0}
          onClick={() => start(row.key, 'up')}
        >
          Up
        </button>
        <button
          type="button"
          class="button small"
          data-action={`${row.key}:down`}
          aria-label={`Move down: ${name}, ${position}`}
          disabled={place === rows.length - 1}
          onClick={() => start(row.key, 'down')}
        >
          Down
        </button>
        <button type="button" class="button small" aria-label={`Edit: ${name}`} onClick={() => onEdit(row)}>
          Edit
        </button>
        <button
          type="button"
          class="button small"
          data-action={`${row.key}:remove`}
          aria-label={`Remove: ${name}`}
          onClick={() => remove(place)}
        >
          Remove
        </button>
      </span>
    );
  };
  return (
    <div ref={table}>
      <Table
        label="Groups and roles"
        rows={rows}
        keyOf={({ key }) => String(key)}
        columns={[
          { title: 'Group', kind: 'name', cell: (row) => <GroupOfRow directoryId={directoryId} row={row} /> },
          { title: 'Role', cell: ({ role }) => <span class="isolated">{role}</span> },
          { title: 'Priority', kind: 'number', cell: (row) => rows.indexOf(row) + 1 },
          ...(may('directories:write') ? [{ title: 'Actions', cell: actions }] : []),
        ]}
      />
    </div>
  );
}

function GroupOfRow({ directoryId, row: { by, named, group } }: { directoryId: string; row: RoleRow }) {
  const may = useMay();
  const name = by === 'id' && !group ? <code>{named}</code> : <span class="isolated">{group?.name ?? named}</span>;
  return (
    <span class="line">
      {group && may('people:read') ? <a href={groupHref(directoryId, group.id)}>{name}</a> : name}
      {group === null && <Status word="No such group" tone="wait" />}
      {group === undefined && <Status word="Not saved" tone="wait" />}
    </span>
  );
}
