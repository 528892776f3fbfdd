import { useState } from 'preact/hooks';
import type { CreateApiKeyRequest, Session } from '../../client/generated/types.ts';
import { api, useAction } from '../api.ts';
import { FormCard } from '../parts/form-card.tsx';
import { NewSecret } from '../parts/new-secret.tsx';
import { PageHead } from '../parts/page.tsx';
import { ActionError } from '../parts/states.tsx';
import { announce } from '../parts/toasts.tsx';
import { hrefOf } from '../router.ts';
import { useSession, type Scope } from '../session.tsx';

type Preset = NonNullable<CreateApiKeyRequest['preset']>;

const presets: Record<Preset, string> = {
  application: 'An application: directories, people, events, deliveries, setup links',
  'read-only': 'A reader, without secrets',
  support: 'Support: reads, retries and replays',
  admin: 'An administrator: everything',
};

const reading: Scope[] = ['directories:read', 'people:read', 'events:read', 'deliveries:read', 'syncs:read'];
const ofDeployment: Scope[] = ['metrics:read', 'limits:read'];
const support: Scope[] = [...reading, 'deliveries:write', 'syncs:write'];
const application: Scope[] = [...support, 'directories:write', 'directories:delete', 'secrets:read', 'setup_links:write', 'files:write'];
/** What the API gives a preset. Nobody gives a right that they do not have. */
const scopesOf: Record<Preset, Scope[]> = {
  application,
  'read-only': [...reading, ...ofDeployment],
  support,
  admin: [...application, 'people:write', 'keys:write', 'audit:read', ...ofDeployment],
};

/** A key that is narrowed gets no rights of the deployment. */
function presetsFor({ scopes, tenant, product, directory_id: directory }: Session): Preset[] {
  const isNarrowed = [tenant, product, directory].some((value) => value !== null);
  return (Object.keys(presets) as Preset[]).filter((preset) =>
    scopesOf[preset].every((scope) => scopes.includes(scope) || (isNarrowed && ofDeployment.includes(scope))),
  );
}

/** Shown once. */
export const NewKey = ({ name, value }: { name: string; value: string }) => (
  <NewSecret what="API key" value={value}>
    The key of <span class="isolated">{name}</span>. Copy it now: it cannot be read again.
  </NewSecret>
);

const dayMs = 86_400_000;

export function NewApiKeyPage() {
  const session = useSession();
  const offered = presetsFor(session);
  const rights: Preset | 'chosen' = offered[0] ?? 'chosen';
  const [given, setGiven] = useState({
    name: '',
    rights,
    scopes: [] as Scope[],
    tenant: session.tenant ?? '',
    product: session.product ?? '',
    days: '',
  });
  const [created, setCreated] = useState<{ name: string; value: string }>();
  const create = useAction((body: CreateApiKeyRequest) => api.apiKeys.create(body));
  const submit = async () => {
    const result = await create.run({
      name: given.name.trim(),
      ...(given.rights === 'chosen' ? { scopes: given.scopes } : { preset: given.rights }),
      ...(given.tenant.trim() !== '' && { tenant: given.tenant.trim() }),
      ...(given.product.trim() !== '' && { product: given.product.trim() }),
      ...(session.directory_id !== null && { directory_id: session.directory_id }),
      ...(given.days !== '' && { expires_at: new Date(Date.now() + Number(given.days) * dayMs).toISOString() }),
    });
    if (!result) return;
    setCreated({ name: result.data.name, value: result.data.key });
    setGiven((latest) => ({ ...latest, name: '' }));
    announce('Created the API key.');
    window.scrollTo(0, 0);
  };
  const toggle = (scope: Scope, isOn: boolean) =>
    setGiven({ ...given, scopes: isOn ? [...given.scopes, scope] : given.scopes.filter((one) => one !== scope) });
  const text = (name: 'name' | 'tenant' | 'product' | 'days', isFixed = false) => ({
    class: 'input',
    value: given[name],
    disabled: isFixed,
    autocomplete: 'off',
    maxLength: 200,
    onInput: (event: { currentTarget: HTMLInputElement }) => setGiven({ ...given, [name]: event.currentTarget.value }),
  });
  return (
    <>
      <PageHead title="New API key" about="The key can't have more rights than you." />
      {created && <NewKey {...created} />}
      <FormCard submit={submit}>
        <label class="field">
          <span>Name</span>
          <input {...text('name')} required />
          <small>What the key is for.</small>
        </label>
        <fieldset class="choices">
          <legend>Rights</legend>
          {offered.map((preset) => (
            <label class="check" key={preset}>
              <input type="radio" name="rights" checked={given.rights === preset} onChange={() => setGiven({ ...given, rights: preset })} />
              {presets[preset]}
            </label>
          ))}
          <label class="check">
            <input
              type="radio"
              name="rights"
              checked={given.rights === 'chosen'}
              onChange={() => setGiven({ ...given, rights: 'chosen' })}
            />
            Chosen scopes
          </label>
        </fieldset>
        {given.rights === 'chosen' && (
          <fieldset class="choices">
            <legend>Scopes</legend>
            {session.scopes.map((scope) => (
              <label class="check" key={scope}>
                <input
                  type="checkbox"
                  checked={given.scopes.includes(scope)}
                  onChange={(event) => toggle(scope, event.currentTarget.checked)}
                />
                <code>{scope}</code>
              </label>
            ))}
          </fieldset>
        )}
        <label class="field">
          <span>Only this tenant (optional)</span>
          <input {...text('tenant', session.tenant !== null)} />
        </label>
        <label class="field">
          <span>Only this product (optional)</span>
          <input {...text('product', session.product !== null)} />
        </label>
        <label class="field">
          <span>Expires after, in days (optional)</span>
          <input {...text('days')} type="number" min="1" max="3650" />
        </label>
        <ActionError error={create.error} />
        <div class="actions">
          <button class="button main" disabled={create.isRunning}>
            Create
          </button>
          <a class="button" href={hrefOf('/api-keys')}>
            {created ? 'API keys' : 'Cancel'}
          </a>
        </div>
      </FormCard>
    </>
  );
}
