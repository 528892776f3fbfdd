import { useState } from 'preact/hooks';
import type { Result } from '../../../client/result.ts';
import { api, useAction } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { NewSecret } from '../../parts/new-secret.tsx';
import { Card, Fact, Facts } from '../../parts/page.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../parts/toasts.tsx';
import { isPulled } from '../../parts/words.ts';
import { useMay } from '../../session.tsx';
import { readSecret } from './read-secrets.ts';
import type { TabProps } from './tab-props.ts';

const overlapSeconds = 86_400;

export function SecretSettings({ directory, reload }: Omit<TabProps, 'rest'>) {
  const may = useMay();
  const { id, scim, webhook } = directory;
  const isPushed = !isPulled(directory.type);
  const hasWebhook = webhook.endpoint !== '';
  if (!isPushed && !hasWebhook) return null;
  return (
    <Card title="Secrets">
      {isPushed && (
        <Facts>
          <Fact name="SCIM secret">
            <Secret key={scim.secret_hint} what="SCIM secret" hint={scim.secret_hint} read={readSecret(id, 'scim')} />
          </Fact>
          {directory.health.scim_secrets.map(({ id: secretId, created_at: at, last_used_at: usedAt, expires_at: expiresAt }) => (
            <Fact key={secretId} name="Valid secret">
              <span>
                Created <Time at={at} none="at an unknown time" />, used <Time at={usedAt} none="never" />
                {expiresAt && (
                  <>
                    , expires <Time at={expiresAt} />
                  </>
                )}
              </span>
            </Fact>
          ))}
        </Facts>
      )}
      {isPushed && may('directories:write') && (
        <Rotation
          what="SCIM secret"
          text="The identity provider needs the new secret. The previous one stays valid for a day."
          rotate={() => api.directories.rotateScimSecret(id, { overlap_seconds: overlapSeconds })}
          reload={reload}
        />
      )}
      {hasWebhook && (
        <Facts>
          <Fact name="Webhook secret">
            <Secret key={webhook.secret_hint} what="Webhook secret" hint={webhook.secret_hint} read={readSecret(id, 'webhook')} />
          </Fact>
        </Facts>
      )}
      {hasWebhook && may('directories:write') && (
        <Rotation
          what="webhook secret"
          text="Your application needs the new secret. For a day, webhooks are signed with both."
          rotate={() => api.webhooks.rotateSecret(id, { overlap_seconds: overlapSeconds })}
          reload={reload}
        />
      )}
    </Card>
  );
}

interface RotationProps {
  what: string;
  text: string;
  rotate(): Promise<Result<{ secret: string; previous_valid_until: string | null }>>;
  reload(): void;
}

function Rotation({ what, text, rotate, reload }: RotationProps) {
  const [asks, setAsks] = useState(false);
  const [secret, setSecret] = useState<string>();
  const action = useAction(rotate);
  const confirm = async () => {
    const rotated = await action.run();
    if (!rotated) return;
    setAsks(false);
    setSecret(rotated.data.secret);
    announce(`Rotated the ${what}.`);
    reload();
  };
  return (
    <>
      {secret !== undefined && (
        <NewSecret what={`New ${what}`} value={secret}>
          The new {what}. Copy it now.
        </NewSecret>
      )}
      <div class="actions">
        <button type="button" class="button" onClick={() => setAsks(true)}>
          Rotate {what}
        </button>
      </div>
      {asks && (
        <ConfirmDialog
          title={`Rotate the ${what}?`}
          confirm={`Rotate ${what}`}
          isRunning={action.isRunning}
          error={action.error}
          onConfirm={() => void confirm()}
          onCancel={() => setAsks(false)}
        >
          <p>{text}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
