import { useState } from 'preact/hooks';
import type { Directory, UpdateDirectoryRequest } from '../../../client/generated/types.ts';
import { api, useAction } from '../../api.ts';
import type { ClientError } from '../../../client/result.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EventsDialog, isConfirmationNeeded } from '../../parts/events-dialog.tsx';
import { NewSecret } from '../../parts/new-secret.tsx';
import { Card, Fact, Facts } from '../../parts/page.tsx';
import { ActionError } from '../../parts/states.tsx';
import { announce } from '../../parts/toasts.tsx';
import { useMay } from '../../session.tsx';
import { DangerZone } from './danger-zone.tsx';
import { DeliverySettings } from './delivery-settings.tsx';
import { SecretSettings } from './secret-settings.tsx';
import type { TabProps } from './tab-props.ts';

export function SettingsTab({ directory, reload }: TabProps) {
  const may = useMay();
  return (
    <div class="columns">
      <div class="stack">
        <General directory={directory} reload={reload} />
      </div>
      <div class="stack">
        {may('deliveries:read') && <DeliverySettings directory={directory} reload={reload} />}
        <SecretSettings directory={directory} reload={reload} />
        {(may('directories:write') || may('directories:delete')) && <DangerZone directory={directory} reload={reload} />}
      </div>
    </div>
  );
}

type Props = Omit<TabProps, 'rest'>;

function General({ directory, reload }: Props) {
  const may = useMay();
  return (
    <Card title="General">
      <Facts>
        <Fact name="Directory ID">
          <code>{directory.id}</code>
          <CopyButton text={directory.id} what="Directory ID" />
        </Fact>
        {!may('directories:write') && (
          <Fact name="Webhook URL">{directory.webhook.endpoint === '' ? 'None' : <code>{directory.webhook.endpoint}</code>}</Fact>
        )}
      </Facts>
      {may('directories:write') && <GeneralForm key={directory.id} directory={directory} reload={reload} />}
    </Card>
  );
}

type Settings = Pick<Directory, 'name' | 'webhook' | 'log_webhook_events' | 'user_state_events' | 'inactive_users' | 'on_directory_delete'>;

const settingsOf = (directory: Settings) => ({
  name: directory.name,
  webhook: directory.webhook.endpoint,
  keepsBodies: directory.log_webhook_events,
  stateEvents: directory.user_state_events,
  inactiveUsers: directory.inactive_users,
  onDelete: directory.on_directory_delete,
});

function GeneralForm({ directory, reload }: Props) {
  const [loaded, setLoaded] = useState(() => settingsOf(directory));
  const [given, setGiven] = useState(loaded);
  const update = useAction((body: UpdateDirectoryRequest) => api.directories.update(directory.id, body));
  const [declined, setDeclined] = useState<ClientError>();
  const isPending = directory.state === 'deleting' || directory.inactive_users_change === 'in_progress';
  /** `confirm`: how many events it may send. */
  const save = async (confirm?: number) => {
    const [name, webhook] = [given.name.trim(), given.webhook.trim()];
    // Only what was changed here: others may have changed the rest meanwhile. And an address that is sent again begins retries anew.
    const changed = {
      ...(name !== loaded.name && { name }),
      ...(webhook !== loaded.webhook && { webhook_url: webhook }),
      ...(given.keepsBodies !== loaded.keepsBodies && { log_webhook_events: given.keepsBodies }),
      ...(given.inactiveUsers !== loaded.inactiveUsers && { inactive_users: given.inactiveUsers }),
      ...(given.onDelete !== loaded.onDelete && { on_directory_delete: given.onDelete }),
      ...(given.stateEvents !== loaded.stateEvents && { user_state_events: given.stateEvents }),
    };
    if (Object.keys(changed).length === 0) return;
    const saved = await update.run({ ...changed, ...(confirm !== undefined && { confirm }), include_secrets: false });
    if (!saved) return;
    const stored = settingsOf(saved.data);
    setLoaded(stored);
    // What was typed meanwhile stays.
    setGiven((latest) => (latest === given ? stored : latest));
    announce('Saved the settings.');
    reload();
  };
  // Null, unless the webhook is new.
  const newSecret = update.result?.data.webhook.secret;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label class="field">
        <span>Name</span>
        <input
          class="input"
          value={given.name}
          maxLength={200}
          autocomplete="off"
          onInput={(event) => setGiven({ ...given, name: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Webhook URL</span>
        <input
          class="input"
          inputMode="url"
          value={given.webhook}
          maxLength={2000}
          autocomplete="off"
          onInput={(event) => setGiven({ ...given, webhook: event.currentTarget.value })}
        />
        <small>The webhook address. If empty, your application fetches the events.</small>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={given.keepsBodies}
          onChange={(event) => setGiven({ ...given, keepsBodies: event.currentTarget.checked })}
        />
        Keep event bodies after delivery, and headers and responses, so that they can be read and replayed
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={given.stateEvents}
          onChange={(event) => setGiven({ ...given, stateEvents: event.currentTarget.checked })}
        />
        Send user.deactivated and user.reactivated
      </label>
      <label class="field">
        <span>Inactive users</span>
        <select
          class="input"
          value={given.inactiveUsers}
          disabled={isPending}
          onChange={(event) => setGiven({ ...given, inactiveUsers: event.currentTarget.value as Settings['inactive_users'] })}
        >
          <option value="keep">Kept: a deactivation is user.updated</option>
          <option value="delete">Deleted: a deactivation is user.deleted, the user stays here</option>
        </select>
        {directory.inactive_users_change && <small>The events of the last change are still sent.</small>}
      </label>
      <label class="field">
        <span>When the directory is deleted</span>
        <select
          class="input"
          value={given.onDelete}
          disabled={directory.state === 'deleting'}
          onChange={(event) => setGiven({ ...given, onDelete: event.currentTarget.value as Settings['on_directory_delete'] })}
        >
          <option value="silent">Send nothing</option>
          <option value="events">Send the removal of all users and groups first</option>
        </select>
      </label>
      {newSecret && (
        <NewSecret what="Webhook secret" value={newSecret}>
          The secret of the new webhook. Copy it now: your application checks signatures with it.
        </NewSecret>
      )}
      <ActionError error={isConfirmationNeeded(update.error) ? undefined : update.error} />
      {isConfirmationNeeded(update.error) && update.error !== declined && (
        <EventsDialog
          title="Send these events?"
          confirm="Save and send"
          isDangerous={given.inactiveUsers === 'delete'}
          needed={update.error}
          onConfirm={(events) => void save(events)}
          onCancel={() => setDeclined(update.error)}
        />
      )}
      <div class="actions">
        <button class="button main" disabled={update.isRunning}>
          Save
        </button>
      </div>
    </form>
  );
}
