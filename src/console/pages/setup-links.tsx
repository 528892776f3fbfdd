import { useState } from 'preact/hooks';
import type { SetupLink } from '../../client/generated/types.ts';
import { api, useAction, useRead } from '../api.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { ChoiceFilter, Filters, TextFilter } from '../parts/filters.tsx';
import { PageHead } from '../parts/page.tsx';
import { oneOf, wordsOf } from '../parts/records.ts';
import { Status } from '../parts/status.tsx';
import { Empty } from '../parts/states.tsx';
import { List } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { announce } from '../parts/toasts.tsx';
import { providerName, type Tone } from '../parts/words.ts';
import { hrefOf, useLocation } from '../router.ts';
import { mayCreateDirectories, useSession } from '../session.tsx';

const pageSize = 50;

type State = 'not_opened' | 'opened' | 'completed' | 'expired';

const states: Record<State, { word: string; tone: Tone }> = {
  not_opened: { word: 'Not opened', tone: 'wait' },
  opened: { word: 'Opened', tone: 'wait' },
  completed: { word: 'Completed', tone: 'good' },
  expired: { word: 'Expired', tone: 'off' },
};

function stateOf({ validTill, completed_at: completed, opened_at: opened }: SetupLink): State {
  if (completed !== null) return 'completed';
  if (validTill <= Date.now()) return 'expired';
  return opened === null ? 'not_opened' : 'opened';
}

export function SetupLinksPage() {
  const session = useSession();
  const { query } = useLocation();
  const filter = {
    search: query.get('search') || undefined,
    tenant: query.get('tenant') || undefined,
    product: query.get('product') || undefined,
    state: oneOf(query.get('state'), states),
    cursor: query.get('cursor') ?? undefined,
  };
  const product = session.product ?? filter.product;
  return (
    <>
      <PageHead
        title="Setup links"
        about="With a setup link, an administrator of the customer connects the identity provider without your help."
      >
        {mayCreateDirectories(session) && (
          <a class="button main" href={hrefOf('/setup-links/new', product === undefined ? {} : { product })}>
            New setup link
          </a>
        )}
      </PageHead>
      <Filters>
        <TextFilter name="search" label="Search" />
        {session.tenant === null && <TextFilter name="tenant" label="Tenant" />}
        {session.product === null && <TextFilter name="product" label="Product" />}
        <ChoiceFilter name="state" label="State" any="All" options={wordsOf(states)} />
      </Filters>
      <Links filter={filter} />
    </>
  );
}

function Links({ filter }: { filter: NonNullable<Parameters<typeof api.setupLinks.listAll>[0]> }) {
  const session = useSession();
  const [revoked, setRevoked] = useState<SetupLink>();
  // Not again and again: the audit log notes each time, since the response has the addresses.
  const read = useRead((options) => api.setupLinks.listAll({ ...filter, limit: pageSize }, options), [filter]);
  const revoke = useAction((id: string) => api.setupLinks.revoke({ id }));
  const confirm = async (id: string) => {
    if (!(await revoke.run(id))) return;
    setRevoked(undefined);
    announce('Revoked the setup link.');
    read.reload();
  };
  return (
    <>
      <List
        label="Setup links"
        read={read}
        keyOf={({ setupID: id }) => id}
        columns={[
          { title: 'Tenant', kind: 'name', cell: ({ tenant }) => tenant },
          { title: 'Product', cell: ({ product }) => <span class="isolated">{product}</span> },
          { title: 'Directory', cell: ({ name }) => <span class="isolated">{name ?? '–'}</span> },
          { title: 'Provider', cell: ({ provider }) => (provider === null ? 'Any' : providerName(provider)) },
          { title: 'State', cell: (link) => <Status {...states[stateOf(link)]} /> },
          { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: 'Valid until', cell: ({ validTill }) => <Time at={new Date(validTill).toISOString()} /> },
          {
            title: 'Actions',
            cell: (link) => (
              <span class="actions">
                {link.url !== null && link.validTill > Date.now() && <CopyButton text={link.url} what={`Address for ${link.tenant}`} />}
                <button type="button" class="button small" aria-label={`Revoke: ${link.tenant}`} onClick={() => setRevoked(link)}>
                  Revoke
                </button>
              </span>
            ),
          },
        ]}
        empty={
          Object.values(filter).some((value) => value !== undefined) ? (
            <Empty title="No setup link matches">
              <a class="button" href={hrefOf('/setup-links')}>
                Show all setup links
              </a>
            </Empty>
          ) : (
            <Empty title="There is no setup link yet">
              {mayCreateDirectories(session) && <p>Create one, and send its address to the customer’s administrator.</p>}
            </Empty>
          )
        }
      />
      {revoked && (
        <ConfirmDialog
          title="Revoke the setup link?"
          confirm="Revoke"
          isDangerous
          isRunning={revoke.isRunning}
          error={revoke.error}
          onConfirm={() => void confirm(revoked.setupID)}
          onCancel={() => setRevoked(undefined)}
        >
          <p>
            The link of <span class="isolated">{revoked.tenant}</span> ends immediately. What was set up with it stays.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
