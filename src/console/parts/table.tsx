import type { ComponentChildren } from 'preact';
import type { Read } from '../api.ts';
import { hrefOf, useLocation } from '../router.ts';
import { Failed, Loading, Outdated } from './states.tsx';

interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** `name`: what the row is called, with the link to its page; `wide`: it is an identifier, which does not wrap. */
  kind?: 'name' | 'name wide' | 'number' | 'email';
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** On a narrow screen each row becomes a block, with the titles of the columns beside the values. */
export const Table = <Row,>({ label, columns, rows, keyOf }: TableProps<Row>) => (
  <table class="table" aria-label={label}>
    <thead>
      <tr>
        {columns.map(({ title, kind }) => (
          <th key={title} scope="col" class={kind}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map(({ title, cell, kind }) => (
            <td key={title} class={kind} data-label={title}>
              <div>{cell(row)}</div>
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

interface ListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  read: Read<{ data: Row[]; next_cursor?: string | null }>;
  /** Shown in place of a table without rows. */
  empty: ComponentChildren;
}

/** A page of a list: the table, its states, and the way to the next page. The cursor is in the address, as `cursor`. */
export function List<Row>({ read: { value, error, reload }, empty, ...table }: ListProps<Row>) {
  return (
    <div class="card">
      {value && <Outdated error={error} />}
      {!value && (error ? <Failed error={error} retry={reload} /> : <Loading />)}
      {value && (value.data.length === 0 ? empty : <Table {...table} rows={value.data} />)}
      <Pager next={value?.next_cursor ?? null} />
    </div>
  );
}

/** Back is the browser's. */
function Pager({ next }: { next: string | null }) {
  const { path, query } = useLocation();
  const others = Object.fromEntries([...query].filter(([name]) => name !== 'cursor'));
  const isFirst = !query.has('cursor');
  if (next === null && isFirst) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && (
        <a class="button small" href={hrefOf(path, others)}>
          First page
        </a>
      )}
      {next !== null && (
        <a class="button small" href={hrefOf(path, { ...others, cursor: next })}>
          Next page
        </a>
      )}
    </nav>
  );
}
