import { api, useRead } from '../../api.ts';
import { PageHead, useTitle } from '../../parts/page.tsx';
import { HealthStatus } from '../../parts/status.tsx';
import { Empty, Failed, Loading, Outdated } from '../../parts/states.tsx';
import { providerName } from '../../parts/words.ts';
import { decodeSegment, hrefOf } from '../../router.ts';
import { useMay } from '../../session.tsx';
import { tabs } from './tabs.ts';

const everyMs = 30_000;

/** The head and the tabs of one directory. */
export function DirectoryPage({ params: { id = '', rest = '' } }: { params: Record<string, string> }) {
  const may = useMay();
  const { value, error, reload } = useRead((options) => api.directories.get(id, { include_secrets: 'false' }, options), [id], { everyMs });
  const directory = value?.data;
  const [part = '', ...others] = rest.split('/').map(decodeSegment);
  const visible = tabs.filter(({ scope, isFor }) => may(scope) && (directory === undefined || (isFor?.(directory) ?? true)));
  const tab = visible.find(({ path }) => path === part);
  // A user, a delivery or the like names the page itself.
  const isList = others.length === 0 || !tab;
  useTitle(directory && tab ? (isList ? `${directory.name} · ${tab.name}` : undefined) : 'Directory');
  if (error && (!directory || error.code === 'not_found'))
    return (
      <>
        <PageHead title="Directory" />
        <div class="card">
          <Failed error={error} retry={reload} />
        </div>
      </>
    );
  if (!directory) return <Loading />;
  const { name, tenant, product, type, health, temporal_workflows_url: workflows } = directory;
  return (
    <>
      <div>
        <a href={hrefOf('/directories')}>Directories</a>
        <div class="head">
          <div>
            <h1 class="isolated">{name}</h1>
            <p>
              <span class="isolated">{tenant}</span> · <span class="isolated">{product}</span> · {providerName(type)}
            </p>
          </div>
          <div class="actions">
            {workflows !== undefined && (
              <a href={workflows} target="_blank" rel="noreferrer">
                Workflows in Temporal
              </a>
            )}
            <HealthStatus health={health.status} />
          </div>
        </div>
      </div>
      <Outdated error={error} />
      <nav class="tabs" aria-label="Directory">
        {visible.map(({ path, name: text }) => (
          <a key={path} href={hrefOf(`/directories/${id}${path && `/${path}`}`)} aria-current={path === part ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {tab ? (
        <tab.page key={tab.path} directory={directory} reload={reload} rest={others.join('/')} />
      ) : (
        <div class="card">
          <Empty title="This page does not exist, or you may not see it">
            <a class="button" href={hrefOf(`/directories/${id}`)}>
              Overview of the directory
            </a>
          </Empty>
        </div>
      )}
    </>
  );
}
