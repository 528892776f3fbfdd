import type { DirectoryWithHealth } from '../../../client/generated/types.ts';
import { service } from '../../api.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Card, Fact, Facts } from '../../parts/page.tsx';
import { Secret } from '../../parts/secret.tsx';
import { DeliveryStatus } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { textOf } from '../../parts/error-text.ts';
import { countOf, healthWords, isPulled, providerName } from '../../parts/words.ts';
import { hrefOf } from '../../router.ts';
import { ActivityChart } from './activity-chart.tsx';
import { readSecret } from './read-secrets.ts';
import type { TabProps } from './tab-props.ts';

export function OverviewTab({ directory }: TabProps) {
  const { health } = directory;
  return (
    <>
      <Advice health={health} />
      <section class="figures" aria-label="Figures">
        <Figure name={health.users === 1 ? 'User' : 'Users'} value={health.users.toLocaleString()} />
        <Figure name={health.groups === 1 ? 'Group' : 'Groups'} value={health.groups.toLocaleString()} />
        <Figure name="Undelivered events" value={health.delivery.backlog.toLocaleString()} />
        <div class="card figure">
          <strong class="when">
            <Time at={isPulled(directory.type) ? (health.sync?.last_success_at ?? null) : health.last_push_at} />
          </strong>
          <span>{isPulled(directory.type) ? 'Last successful sync' : 'Last push'}</span>
        </div>
      </section>
      <div class="columns">
        {isPulled(directory.type) ? <PulledSetUp directory={directory} /> : <SetUp directory={directory} />}
        <Delivery directory={directory} />
      </div>
      <ActivityChart directoryId={directory.id} isPulled={isPulled(directory.type)} />
    </>
  );
}

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div class="card figure">
    <strong>{value}</strong>
    <span>{name}</span>
  </div>
);

function Advice({ health }: { health: DirectoryWithHealth['health'] }) {
  const { tone, word } = healthWords[health.status];
  if (health.status === 'healthy') return null;
  return (
    <div class={`note ${tone}`} role="status">
      <p>
        <strong>{word}.</strong> {health.advice}
      </p>
      {health.only_deletions && <p>{health.only_deletions}</p>}
    </div>
  );
}

function SetUp({ directory: { id, scim, health } }: { directory: DirectoryWithHealth }) {
  const error = health.last_error;
  return (
    <Card title="Set-up at the identity provider">
      <Facts>
        <Fact name="SCIM endpoint">
          <code>{scim.endpoint}</code>
          <CopyButton text={scim.endpoint} what="SCIM endpoint" />
        </Fact>
        <Fact name="SCIM secret">
          <Secret key={scim.secret_hint} what="SCIM secret" hint={scim.secret_hint} read={readSecret(id, 'scim')} />
        </Fact>
        <Fact name="Last push">
          <Time at={health.last_push_at} />
        </Fact>
        <Fact name="Last failed request">
          {error ? (
            <div>
              <p class="bad-text">{error.detail}</p>
              <p class="soft">
                <code>
                  {error.method} {error.path}
                </code>{' '}
                → {error.status}, <Time at={error.at} />
              </p>
            </div>
          ) : (
            <span class="soft">None</span>
          )}
        </Fact>
        {health.secret_rejected_at && (
          <Fact name="Last wrong secret">
            <Time at={health.secret_rejected_at} />
            {(health.last_push_at === null || health.secret_rejected_at > health.last_push_at) && (
              <p class="bad-text">
                The identity provider sends a wrong secret. Enter the secret there again, or rotate it under “Settings”.
              </p>
            )}
          </Fact>
        )}
      </Facts>
    </Card>
  );
}

function PulledSetUp({ directory }: { directory: DirectoryWithHealth }) {
  const { sync } = directory.health;
  const authorization =
    directory.type === 'google'
      ? { state: directory.google_authorization, error: directory.google_authorization_error, url: directory.google_authorization_url }
      : { state: directory.entra_authorization, error: directory.entra_authorization_error, url: directory.entra_authorization_url };
  return (
    <Card title={directory.type === 'csv' ? 'Upload of files' : `Set-up at ${providerName(directory.type)}`}>
      <Facts>
        {authorization.state && (
          <Fact name="Authorization">
            {authorization.state === 'authorized' ? 'Authorized' : <span class="bad-text">Needs authorization</span>}
          </Fact>
        )}
        {directory.entra_tenant_id && (
          <Fact name="Tenant at Microsoft">
            <code>{directory.entra_tenant_id}</code>
          </Fact>
        )}
        {authorization.error && (
          <Fact name="Reason">
            <span class="bad-text">{authorization.error}</span>
          </Fact>
        )}
        {authorization.url && (
          <Fact name="Authorization address">
            <code>{authorization.url}</code>
            <CopyButton text={authorization.url} what="Authorization address" />
          </Fact>
        )}
        {directory.type === 'csv' && <Upload directoryId={directory.id} />}
        <Fact name="Last sync">
          {sync ? (
            <a href={hrefOf(`/directories/${directory.id}/syncs/${sync.run_id}`)}>
              <Time at={sync.at} />
            </a>
          ) : (
            <span class="soft">Never</span>
          )}
        </Fact>
        {sync?.error && (
          <Fact name={sync.state === 'canceled' ? 'Its end' : 'Last error'}>
            <span class={sync.state === 'canceled' ? 'soft' : 'bad-text'}>{textOf({ code: '', message: sync.error })}</span>
          </Fact>
        )}
      </Facts>
    </Card>
  );
}

function Upload({ directoryId }: { directoryId: string }) {
  const address = `${service.baseUrl}/api/v1/directory-sync/${directoryId}/files`;
  const command = `rollcall upload-tokens create ${directoryId}`;
  return (
    <>
      <Fact name="Upload address">
        <code>PUT {address}</code>
        <CopyButton text={address} what="Upload address" />
      </Fact>
      <Fact name="Upload token">
        <code>{command}</code>
        <CopyButton text={command} what="Command for a token" />
      </Fact>
    </>
  );
}

function Delivery({ directory: { webhook, health } }: { directory: DirectoryWithHealth }) {
  const { delivery } = health;
  const error = delivery.last_error;
  return (
    <Card title="Delivery" actions={<DeliveryStatus state={delivery.status} />}>
      {delivery.reason && (
        <div class="note bad">
          <p>{delivery.reason}</p>
        </div>
      )}
      <Facts>
        <Fact name="Webhook">
          {webhook.endpoint === '' ? <span class="soft">None; your application fetches the events.</span> : <code>{webhook.endpoint}</code>}
        </Fact>
        <Fact name="Waiting">{countOf(delivery.backlog, 'event')}</Fact>
        <Fact name="Last success">
          <Time at={delivery.last_success_at} />
        </Fact>
        {error && (
          <Fact name="Last error">
            <div>
              <p class="bad-text">{error.message ?? 'The receiver did not acknowledge the webhook.'}</p>
              <p class="soft">
                {error.status === null ? 'No response' : `Status ${error.status}`}, <Time at={error.at} />
              </p>
            </div>
          </Fact>
        )}
        {delivery.failing_since && (
          <Fact name="Failing since">
            <Time at={delivery.failing_since} /> <span class="soft">({countOf(delivery.consecutive_failures, 'failed attempt')})</span>
          </Fact>
        )}
        {delivery.next_attempt_at && (
          <Fact name="Next attempt">
            <Time at={delivery.next_attempt_at} />
          </Fact>
        )}
      </Facts>
    </Card>
  );
}
