import { useState } from 'preact/hooks';
import type { CreateDirectoryRequest } from '../../client/generated/types.ts';
import { api, useAction } from '../api.ts';
import { PageHead } from '../parts/page.tsx';
import { ActionError } from '../parts/states.tsx';
import { announce } from '../parts/toasts.tsx';
import { providerNames } from '../parts/words.ts';
import { hrefOf, navigate } from '../router.ts';
import { useSession } from '../session.tsx';

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
    navigate(hrefOf(`/directories/${created.data.id}`));
  };
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
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="body form">
          <label class="field">
            <span>Tenant</span>
            <input {...field('tenant', tenant !== null)} required maxLength={200} />
            <small>The customer, as your application calls it.</small>
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
            <small>Where events are sent. Without it, your application fetches them.</small>
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
        </div>
      </form>
    </>
  );
}
