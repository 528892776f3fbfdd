import type { Overview, UnhealthyDirectory } from '../../client/generated/types.ts';
import { api, useRead } from '../api.ts';
import { FirstOnly, isOnlyFirst } from '../parts/first-only.tsx';
import { Card, PageHead } from '../parts/page.tsx';
import { HealthStatus } from '../parts/status.tsx';
import { Empty, Failed, Loading, Outdated } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { countOf, type Health, healthWords } from '../parts/words.ts';
import { hrefOf } from '../router.ts';
import { mayCreateDirectories, useSession } from '../session.tsx';

const everyMs = 15_000;

export function OverviewPage() {
  const { value, error, reload } = useRead((options) => api.overview.get(options), [], { everyMs });
  const overview = value?.data;
  return (
    <>
      <PageHead title="Overview" about={overview && <Backlog backlog={overview.backlog} />} />
      {error && !overview && (
        <div class="card">
          <Failed error={error} retry={reload} />
        </div>
      )}
      {!overview && !error && <Loading />}
      {overview && (
        <>
          <Outdated error={error} />
          <NeedsAttention directories={overview.unhealthy} total={overview.directories} />
          {isOnlyFirst(overview.unhealthy) && <FirstOnly />}
          <section class="figures" aria-label="Figures">
            <a class="card figure" href={hrefOf('/directories')}>
              <strong>{overview.directories.toLocaleString()}</strong>
              <span>{overview.directories === 1 ? 'Directory' : 'Directories'}</span>
            </a>
            {(Object.keys(healthWords) as Health[])
              .filter((health) => overview.by_health[health] > 0)
              .map((health) => (
                <a class="card figure" key={health} href={hrefOf('/directories', { health })}>
                  <strong>{overview.by_health[health].toLocaleString()}</strong>
                  <span>{healthWords[health].word}</span>
                </a>
              ))}
          </section>
        </>
      )}
    </>
  );
}

const Backlog = ({ backlog: { events, directories, oldest_at: oldestAt } }: Pick<Overview, 'backlog'>) =>
  events === 0 ? (
    <>All events are delivered.</>
  ) : (
    <>
      {countOf(events, 'undelivered event')} in {countOf(directories, 'directory', 'directories')}; the oldest is from{' '}
      <Time at={oldestAt} />.
    </>
  );

function NeedsAttention({ directories, total }: { directories: UnhealthyDirectory[]; total: number }) {
  const session = useSession();
  if (total === 0)
    return (
      <div class="card">
        <Empty title="There is no directory yet">
          <p>A directory connects one customer to one identity provider, which then pushes its users and groups.</p>
          {mayCreateDirectories(session) && (
            <a class="button main" href={hrefOf('/directories/new')}>
              New directory
            </a>
          )}
        </Empty>
      </div>
    );
  if (directories.length === 0)
    return (
      <div class="note good" role="status">
        <p>Nothing needs attention.</p>
      </div>
    );
  return (
    <Card title="Needs attention">
      <div class="flush">
        <Table
          label="Directories that need attention"
          rows={directories}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Name', kind: 'name', cell: ({ id, name }) => <a href={hrefOf(`/directories/${id}`)}>{name}</a> },
            { title: 'Health', cell: ({ health }) => <HealthStatus health={health.status} /> },
            { title: 'Why, and what to do', cell: (directory) => <Why directory={directory} /> },
            { title: 'Since', cell: ({ failing_since: since }) => <Time at={since} none="–" /> },
            { title: 'Waiting events', kind: 'number', cell: ({ backlog }) => backlog.toLocaleString() },
          ]}
        />
      </div>
    </Card>
  );
}

const Why = ({ directory: { last_error: error, reason, health } }: { directory: UnhealthyDirectory }) => {
  const cause = reason ?? error?.message;
  return (
    <>
      {cause && <p class="bad-text">{cause}</p>}
      <p class="soft">{health.advice}</p>
    </>
  );
};
