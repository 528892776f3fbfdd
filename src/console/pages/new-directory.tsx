import { useState } from 'preact/hooks';
import type { CreatedDirectory, CreateDirectoryRequest } from '../../client/generated/types.ts';
import { api, useAction } from '../api.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { FormCard } from '../parts/form-card.tsx';
import { NewSecret } from '../parts/new-secret.tsx';
import { Card, Fact, Facts, PageHead } from '../parts/page.tsx';
import { ActionError } from '../parts/states.tsx';
import { announce } from '../parts/toasts.tsx';
import { providerNames } from '../parts/words.ts';
import { hrefOf, navigate } from '../router.ts';
import { useSession } from '../session.tsx';

/** The secrets, which the service may not show again. */
const Created = ({ directory: { id, name, scim, webhook } }: { directory: CreatedDirectory }) => (
  <>
    <PageHead title={name} about="The directory is created. Copy its secrets now: they may not be shown again." />
    {scim.endpoint !== '' && (
      <Card title="For the identity provider">
        <Facts>
          <Fact name="SCIM endpoint">
            <code>{scim.endpoint}</code>
            <CopyButton text={scim.endpoint} what="SCIM endpoint" />
          </Fact>
        </Facts>
      </Card>
    )}
    {scim.secret !== '' && (
      <NewSecret what="SCIM secret" value={scim.secret}>
        The SCIM secret, for the identity provider.
      </NewSecret>
    )}
    {webhook.secret !== '' && (
      <NewSecret what="Webhook secret" value={webhook.secret}>
        The webhook secret, with which your application checks signatures.
      </NewSecret>
    )}
    <div class="actions">
      <a class="button main" href={hrefOf(`/directories/${id}`)}>
        Open the directory
      </a>
    </div>
  </>
);

export function NewDirectoryPage() {
  const { tenant, product } = useSession();
  const [given, setGiven] = useState({ name: '', tenant: tenant ?? '', product: product ?? '', type: 'okta-scim-v2', webhook: '' });
  const create = useAction((body: CreateDirectoryRequest) => api.directories.create(body));
  const submit = async () => {
    const created = await create.run({
      tenant: given.tenant.trim(),
      product: given.product.trim(),
      type: given.type as NonNullable<CreateDirectoryRequest['type']>,
      ...(given.name.trim() !== '' && { name: given.name.trim() }),
      ...(given.webhook.trim() !== '' && { webhook_url: given.webhook.trim() }),
    });
    if (!created) return;
    announce('Created the directory.');
    const { id, scim, webhook } = created.data;
    // Where there is none, there is nothing to copy.
    if (scim.secret === '' && webhook.secret === '') navigate(hrefOf(`/directories/${id}`));
    window.scrollTo(0, 0);
  };
  if (create.result) return <Created directory={create.result.data} />;
  const field = (name: keyof typeof given, isFixed = false) => ({
    class: 'input',
    name,
    value: given[name],
    disabled: isFixed,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => setGiven({ ...given, [name]: event.currentTarget.value }),
  });
  return (
    <>
      <PageHead title="New directory" about="Connects one customer to one identity provider." />
      <FormCard submit={submit}>
        <label class="field">
          <span>Tenant</span>
          <input {...field('tenant', tenant !== null)} required maxLength={200} />
          <small>The name of the customer in your application.</small>
        </label>
        <label class="field">
          <span>Product</span>
          <input {...field('product', product !== null)} required maxLength={200} />
          <small>The application that uses the directory.</small>
        </label>
        <label class="field">
          <span>Provider</span>
          <select class="input" value={given.type} onChange={(event) => setGiven({ ...given, type: event.currentTarget.value })}>
            {Object.entries(providerNames).map(([type, name]) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Name (optional)</span>
          <input {...field('name')} maxLength={200} />
        </label>
        <label class="field">
          <span>Webhook URL (optional)</span>
          <input {...field('webhook')} inputMode="url" maxLength={2000} placeholder="https://app.example/hooks" />
          <small>The webhook address. If empty, your application fetches the events.</small>
        </label>
        <ActionError error={create.error} />
        <div class="actions">
          <button class="button main" disabled={create.isRunning}>
            Create
          </button>
          <a class="button" href={hrefOf('/directories')}>
            Cancel
          </a>
        </div>
      </FormCard>
    </>
  );
}
