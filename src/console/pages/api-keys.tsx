import { useState } from 'preact/hooks';
import type { ApiKey } from '../../client/generated/types.ts';
import { api, useAction, useRead } from '../api.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { PageHead } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { Empty } from '../parts/states.tsx';
import { List } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { announce } from '../parts/toasts.tsx';
import { countOf, type Tone } from '../parts/words.ts';
import { hrefOf, useLocation } from '../router.ts';
import { useSession } from '../session.tsx';
import { NewKey } from './new-api-key.tsx';

const pageSize = 50;

export function ApiKeysPage() {
  const cursor = useLocation().query.get('cursor') ?? undefined;
  const [asks, setAsks] = useState<{ act: 'rotate' | 'revoke'; key: ApiKey }>();
  const [rotated, setRotated] = useState<{ name: string; value: string }>();
  const session = useSession();
  // Nobody changes a key with more rights than their own.
  const isWithin = ({ scopes }: ApiKey) => scopes.every((scope) => session.scopes.includes(scope));
  const read = useRead((options) => api.apiKeys.list({ cursor, limit: pageSize }, options), [cursor]);
  return (
    <>
      <PageHead title="API keys" about="Keys for the API and for signing in to the console.">
        <a class="button main" href={hrefOf('/api-keys/new')}>
          New API key
        </a>
      </PageHead>
      {rotated && <NewKey {...rotated} />}
      <List
        label="API keys"
        read={read}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Name', kind: 'name', cell: ({ name }) => name },
          { title: 'Begins with', cell: ({ prefix }) => <code class="whole">{prefix}</code> },
          { title: 'State', cell: (key) => <Status {...stateOf(key)} /> },
          { title: 'Scopes', cell: (key) => <Scopes apiKey={key} /> },
          { title: 'Limited to', cell: (key) => <span class="isolated">{describeNarrowing(key)}</span> },
          { title: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
          { title: 'Expires', cell: ({ expires_at: at }) => <Time at={at} /> },
          {
            title: 'Actions',
            cell: (key) =>
              key.revoked_at === null && isWithin(key) ? (
                <span class="actions">
                  {!isExpired(key) && (
                    <button
                      type="button"
                      class="button small"
                      aria-label={`Rotate: ${key.name}`}
                      onClick={() => setAsks({ act: 'rotate', key })}
                    >
                      Rotate
                    </button>
                  )}
                  <button
                    type="button"
                    class="button small"
                    aria-label={`Revoke: ${key.name}`}
                    onClick={() => setAsks({ act: 'revoke', key })}
                  >
                    Revoke
                  </button>
                </span>
              ) : (
                <span class="soft">–</span>
              ),
          },
        ]}
        empty={
          <Empty title="There is no API key yet">
            <p>Keys in the setting API_KEYS also work, but are not listed. Create a key with fewer rights for each application.</p>
          </Empty>
        }
      />
      {asks?.act === 'rotate' && (
        <RotateDialog
          apiKey={asks.key}
          onCancel={() => setAsks(undefined)}
          onDone={(value) => {
            setAsks(undefined);
            setRotated({ name: asks.key.name, value });
            read.reload();
          }}
        />
      )}
      {asks?.act === 'revoke' && (
        <RevokeDialog
          apiKey={asks.key}
          onCancel={() => setAsks(undefined)}
          onDone={() => {
            setAsks(undefined);
            read.reload();
          }}
        />
      )}
    </>
  );
}

const isExpired = ({ expires_at: at }: ApiKey) => at !== null && Date.parse(at) <= Date.now();

function stateOf(key: ApiKey): { word: string; tone: Tone } {
  if (key.revoked_at !== null) return { word: 'Revoked', tone: 'off' };
  if (isExpired(key)) return { word: 'Expired', tone: 'off' };
  return { word: 'Active', tone: 'good' };
}

const describeNarrowing = ({ tenant, product, directory_id: directory, allowed_networks: networks }: ApiKey): string =>
  [
    tenant !== null && `tenant ${tenant}`,
    product !== null && `product ${product}`,
    directory !== null && `directory ${directory}`,
    networks !== null && `networks ${networks.join(', ')}`,
  ]
    .filter((part) => part !== false)
    .join('; ') || 'Everything';

const Scopes = ({ apiKey: { scopes } }: { apiKey: ApiKey }) => (
  <details>
    <summary>{countOf(scopes.length, 'scope')}</summary>
    <p>{scopes.join(', ')}</p>
  </details>
);

interface DialogProps<Given extends unknown[]> {
  apiKey: ApiKey;
  onCancel(): void;
  onDone(...given: Given): void;
}

function RotateDialog({ apiKey, onCancel, onDone }: DialogProps<[string]>) {
  const [keeps, setKeeps] = useState(true);
  const rotate = useAction(() => api.apiKeys.rotate(apiKey.id, keeps ? {} : { overlap_seconds: 0 }));
  const confirm = async () => {
    const rotated = await rotate.run();
    if (!rotated) return;
    announce('Rotated the API key.');
    onDone(rotated.data.key);
  };
  return (
    <ConfirmDialog
      title="Rotate the API key?"
      confirm="Rotate"
      isRunning={rotate.isRunning}
      error={rotate.error}
      onConfirm={() => void confirm()}
      onCancel={onCancel}
    >
      <p>
        <span class="isolated">{apiKey.name}</span> gets a new value, which is shown once.
      </p>
      <label class="check">
        <input type="checkbox" checked={keeps} onChange={(event) => setKeeps(event.currentTarget.checked)} />
        The current value stays valid for a while
      </label>
    </ConfirmDialog>
  );
}

function RevokeDialog({ apiKey, onCancel, onDone }: DialogProps<[]>) {
  const revoke = useAction(() => api.apiKeys.revoke(apiKey.id));
  const confirm = async () => {
    if (!(await revoke.run())) return;
    announce('Revoked the API key.');
    onDone();
  };
  return (
    <ConfirmDialog
      title="Revoke the API key?"
      confirm="Revoke"
      isDangerous
      isRunning={revoke.isRunning}
      error={revoke.error}
      onConfirm={() => void confirm()}
      onCancel={onCancel}
    >
      <p>
        Every process rejects <span class="isolated">{apiKey.name}</span> within a second, and its sessions end. It cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
