import { api, useRead } from '../api.ts';
import { ChoiceFilter, Filters, TextFilter } from '../parts/filters.tsx';
import { PageHead } from '../parts/page.tsx';
import { oneOf } from '../parts/records.ts';
import { HealthStatus } from '../parts/status.tsx';
import { Empty } from '../parts/states.tsx';
import { List } from '../parts/table.tsx';
import { type Health, healthWords, providerName, providerNames } from '../parts/words.ts';
import { hrefOf, useLocation } from '../router.ts';
import { mayCreateDirectories, useSession } from '../session.tsx';
import type { ListedDirectory } from '../../client/generated/types.ts';

const pageSize = 50;
const healthOptions = {
  unhealthy: 'Needs attention',
  ...(Object.fromEntries(Object.entries(healthWords).map(([health, { word }]) => [health, word])) as Record<Health, string>),
};

export function DirectoriesPage() {
  const { query } = useLocation();
  const session = useSession();
  const filter = {
    search: query.get('search') || undefined,
    product: query.get('product') || undefined,
    type: oneOf(query.get('provider'), providerNames as Record<ListedDirectory['type'], string>),
    health: oneOf(query.get('health'), healthOptions),
    cursor: query.get('cursor') ?? undefined,
  };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const read = useRead((options) => api.directories.listAll({ ...filter, limit: pageSize, include_secrets: 'false' }, options), [filter], {
    everyMs: 30_000,
  });
  return (
    <>
      <PageHead title="Directories">
        {mayCreateDirectories(session) && (
          <a class="button main" href={hrefOf('/directories/new')}>
            New directory
          </a>
        )}
      </PageHead>
      <Filters>
        <TextFilter name="search" label="Search" />
        <TextFilter name="product" label="Product" />
        <ChoiceFilter name="provider" label="Provider" any="All providers" options={providerNames} />
        <ChoiceFilter name="health" label="Health" any="All" options={healthOptions} />
      </Filters>
      <List
        label="Directories"
        read={read}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Name', kind: 'name', cell: ({ id, name }) => <a href={hrefOf(`/directories/${id}`)}>{name}</a> },
          { title: 'Tenant', cell: ({ tenant }) => <span class="isolated">{tenant}</span> },
          { title: 'Product', cell: ({ product }) => <span class="isolated">{product}</span> },
          { title: 'Provider', cell: ({ type }) => providerName(type) },
          { title: 'Health', cell: ({ health }) => <HealthStatus health={health.status} /> },
        ]}
        empty={
          isFiltered ? (
            <Empty title="No directory matches">
              <a class="button" href={hrefOf('/directories')}>
                Show all directories
              </a>
            </Empty>
          ) : (
            <Empty title="There is no directory yet">
              <p>A directory connects one customer to one identity provider, which then pushes its users and groups.</p>
              {mayCreateDirectories(session) && (
                <a class="button main" href={hrefOf('/directories/new')}>
                  New directory
                </a>
              )}
            </Empty>
          )
        }
      />
    </>
  );
}
