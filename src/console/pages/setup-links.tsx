import { useState } from 'preact/hooks';
import type { SetupLink } from '../../client/generated/types.ts';
import { api, useAction, useRead } from '../api.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Filters, TextFilter } from '../parts/filters.tsx';
import { PageHead } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { Empty } from '../parts/states.tsx';
import { List } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { announce } from '../parts/toasts.tsx';
import { providerName, type Tone } from '../parts/words.ts';
import { hrefOf, useLocation } from '../router.ts';
import { mayCreateDirectories, useSession } from '../session.tsx';

const pageSize = 50;

export function SetupLinksPage() {
  const session = useSession();
  const { query } = useLocation();
  const product = session.product ?? query.get('product') ?? '';
  return (
    <>
      <PageHead
        title="Setup links"
        about="With a setup link, an administrator of the customer connects the identity provider without your help."
      >
        {mayCreateDirectories(session) && (
          <a class="button main" href={hrefOf('/setup-links/new', { product })}>
            New setup link
          </a>
        )}
      </PageHead>
      {session.product === null && (
        <Filters>
          <TextFilter name="product" label="Product" />
        </Filters>
      )}
      {product === '' ? (
        <div class="card">
          <Empty title="Enter a product">
            <p>Setup links are listed by product, which is the application that uses the directories.</p>
          </Empty>
        </div>
      ) : (
        <Links key={product} product={product} />
      )}
    </>
  );
}

function stateOf({ validTill, completed_at: completed, opened_at: opened }: SetupLink): { word: string; tone: Tone } {
  if (completed !== null) return { word: 'Completed', tone: 'good' };
  if (validTill <= Date.now()) return { word: 'Expired', tone: 'off' };
  return opened === null ? { word: 'Not opened', tone: 'wait' } : { word: 'Opened', tone: 'wait' };
}

function Links({ product }: { product: string }) {
  const [revoked, setRevoked] = useState<SetupLink>();
  const cursor = useLocation().query.get('cursor') ?? undefined;
  // Not again and again: the audit log notes each time, since the response has the addresses.
  const read = useRead((options) => api.setupLinks.listOfProduct({ product, cursor, limit: pageSize }, options), [product, cursor]);
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
          { title: 'Directory', cell: ({ name }) => <span class="isolated">{name ?? '–'}</span> },
          { title: 'Provider', cell: ({ provider }) => (provider === null ? 'Any' : providerName(provider)) },
          { title: 'State', cell: (link) => <Status {...stateOf(link)} /> },
          { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: 'Valid until', cell: ({ validTill }) => <Time at={new Date(validTill).toISOString()} /> },
          {
            title: 'Actions',
            cell: (link) => (
              <span class="actions">
                {link.url !== null && <CopyButton text={link.url} what={`Address for ${link.tenant}`} />}
                <button type="button" class="button small" aria-label={`Revoke: ${link.tenant}`} onClick={() => setRevoked(link)}>
                  Revoke
                </button>
              </span>
            ),
          },
        ]}
        empty={
          <Empty title="This product has no setup link">
            <p>Create one, and send its address to the customer’s administrator.</p>
          </Empty>
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
