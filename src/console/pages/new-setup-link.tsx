import { useState } from 'preact/hooks';
import type { CreateSetupLinkRequest } from '../../client/generated/types.ts';
import { api, useAction } from '../api.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { FormCard } from '../parts/form-card.tsx';
import { Card, Fact, Facts, PageHead } from '../parts/page.tsx';
import { ActionError } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { announce } from '../parts/toasts.tsx';
import { providerNames } from '../parts/words.ts';
import { hrefOf, useLocation } from '../router.ts';
import { useSession } from '../session.tsx';

/** As Rollcall makes them: 32 random bytes. */
const newSecret = (): string => `whsec_${btoa(String.fromCodePoint(...crypto.getRandomValues(new Uint8Array(32))))}`;

export function NewSetupLinkPage() {
  const session = useSession();
  const { query } = useLocation();
  const [given, setGiven] = useState({
    tenant: session.tenant ?? '',
    product: session.product ?? query.get('product') ?? '',
    name: '',
    webhook: '',
    secret: newSecret(),
    provider: '',
    returnUrl: '',
    roles: '',
    days: '3',
    endsWhenFinished: true,
    replaces: false,
  });
  const create = useAction((body: CreateSetupLinkRequest) => api.setupLinks.create(body));
  const [sentSecret, setSentSecret] = useState<string>();
  const submit = async () => {
    const secret = given.secret.trim();
    setSentSecret(secret);
    const created = await create.run({
      tenant: given.tenant.trim(),
      product: given.product.trim(),
      webhook_url: given.webhook.trim(),
      webhook_secret: secret,
      expiryDays: Number(given.days),
      regenerate: given.replaces,
      revoke_on_completion: given.endsWhenFinished,
      ...(given.name.trim() !== '' && { name: given.name.trim() }),
      ...(given.provider !== '' && { provider: given.provider as NonNullable<CreateSetupLinkRequest['provider']> }),
      ...(given.returnUrl.trim() !== '' && { return_url: given.returnUrl.trim() }),
      ...(given.roles.trim() !== '' && { roles: given.roles.split(',').flatMap((role) => role.trim() || []) }),
    });
    if (!created) return;
    // Each link has its own.
    setGiven((former) => ({ ...former, secret: newSecret() }));
    announce('This is the setup link.');
    window.scrollTo(0, 0);
  };
  const link = create.result?.data;
  const isExisting = link !== undefined && link.webhook_secret !== sentSecret;
  const field = (name: Exclude<keyof typeof given, 'endsWhenFinished' | 'replaces'>, isFixed = false) => ({
    class: 'input',
    name,
    value: given[name],
    disabled: isFixed,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => setGiven({ ...given, [name]: event.currentTarget.value }),
  });
  return (
    <>
      <PageHead
        title="New setup link"
        about="A tenant and product have one link. If it is still valid, it is shown again unchanged, unless you replace it."
      />
      {link && (
        <Card title="The setup link">
          {isExisting && (
            <div class="note wait" role="status">
              <p>A valid link already exists, so your secret and other values were not used.</p>
            </div>
          )}
          <Facts>
            <Fact name="Address">
              {link.url === null ? (
                <span class="soft">
                  There is a valid link, and this service does not show its address again. Replace it to get a new one.
                </span>
              ) : (
                <>
                  <code>{link.url}</code>
                  <CopyButton text={link.url} what="Address" />
                </>
              )}
            </Fact>
            <Fact name="Webhook secret">
              {link.webhook_secret === null ? (
                <span class="soft">The existing link keeps its own secret, which is not shown.</span>
              ) : (
                <>
                  <code>{link.webhook_secret}</code>
                  <CopyButton text={link.webhook_secret} what="Webhook secret" />
                </>
              )}
            </Fact>
            <Fact name="Valid until">
              <Time at={new Date(link.validTill).toISOString()} />
            </Fact>
          </Facts>
          <p class="soft">Anyone who has the address can set up the directory. Send it only to the customer’s administrator.</p>
          <div class="actions">
            <a class="button" href={hrefOf('/setup-links', { product: link.product })}>
              Setup links of the product
            </a>
          </div>
        </Card>
      )}
      {(!link || isExisting) && (
        <FormCard submit={submit}>
          <label class="field">
            <span>Tenant</span>
            <input {...field('tenant', session.tenant !== null)} required maxLength={200} />
            <small>The name of the customer in your application.</small>
          </label>
          <label class="field">
            <span>Product</span>
            <input {...field('product', session.product !== null)} required maxLength={200} />
          </label>
          <label class="field">
            <span>Provider</span>
            <select class="input" value={given.provider} onChange={(event) => setGiven({ ...given, provider: event.currentTarget.value })}>
              <option value="">The administrator chooses</option>
              {Object.entries(providerNames).map(
                ([type, name]) =>
                  // A setup link has no page for files.
                  type !== 'csv' && (
                    <option key={type} value={type}>
                      {name}
                    </option>
                  ),
              )}
            </select>
          </label>
          <label class="field">
            <span>Name of the directory (optional)</span>
            <input {...field('name')} maxLength={200} />
          </label>
          <label class="field">
            <span>Webhook URL</span>
            <input {...field('webhook')} required inputMode="url" maxLength={2000} placeholder="https://app.example/hooks" />
          </label>
          <label class="field">
            <span>Webhook secret</span>
            <input {...field('secret')} required maxLength={500} />
            <small>Your application checks signatures with it. This one is new and random.</small>
          </label>
          <label class="field">
            <span>Return address (optional)</span>
            <input {...field('returnUrl')} inputMode="url" maxLength={2000} placeholder="https://app.example/settings" />
            <small>Where the administrator goes at the end.</small>
          </label>
          <label class="field">
            <span>Roles (optional)</span>
            <input {...field('roles')} maxLength={1400} placeholder="admin, member" />
            <small>What the administrator may give to groups, strongest first, with commas between them.</small>
          </label>
          <label class="field">
            <span>Valid for, in days</span>
            <input {...field('days')} type="number" min="1" max="365" required />
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={given.endsWhenFinished}
              onChange={(event) => setGiven({ ...given, endsWhenFinished: event.currentTarget.checked })}
            />
            End the link when the administrator has finished
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={given.replaces}
              onChange={(event) => setGiven({ ...given, replaces: event.currentTarget.checked })}
            />
            Replace a valid link, which then no longer works
          </label>
          <ActionError error={create.error} />
          <div class="actions">
            <button class="button main" disabled={create.isRunning}>
              Create
            </button>
            <a class="button" href={hrefOf('/setup-links', { product: given.product })}>
              Cancel
            </a>
          </div>
        </FormCard>
      )}
    </>
  );
}
