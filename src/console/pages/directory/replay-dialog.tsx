import { useEffect, useState } from 'preact/hooks';
import type { ReplayRequest } from '../../../client/generated/types.ts';
import { api, useAction } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { announce } from '../../parts/toasts.tsx';
import { countOf } from '../../parts/words.ts';

interface ReplayDialogProps {
  directoryId: string;
  /** Only this delivery; undefined: the person chooses. */
  deliveryId?: string;
  onDone(): void;
  onCancel(): void;
}

type Mode = 'failed' | 'missing' | 'range';

const modes: Record<Mode, string> = {
  failed: 'Events that were skipped after failed attempts',
  missing: 'Events that were skipped without an attempt',
  range: 'A range of sequences',
};

/** Counts the events first, and sends them only after that. */
export function ReplayDialog({ directoryId, deliveryId, onDone, onCancel }: ReplayDialogProps) {
  const [mode, setMode] = useState<Mode>('failed');
  const [range, setRange] = useState({ from: '', to: '' });
  const [count, setCount] = useState<{ of: string; events: number }>();
  const request = toRequest({ deliveryId, mode, range });
  const key = JSON.stringify(request);
  // Somebody may choose something else while the events are counted.
  const counted = count?.of === key ? count.events : undefined;
  const replay = useAction((isDryRun: boolean) => api.replays.create(directoryId, { ...request, dry_run: isDryRun }));
  const countEvents = async () => {
    const result = await replay.run(true);
    if (result && 'dry_run' in result.data) setCount({ of: key, events: result.data.total });
  };
  useEffect(() => {
    if (deliveryId !== undefined) void countEvents();
  }, []);
  const confirm = async () => {
    if (counted === undefined) return countEvents();
    if (counted === 0) return onCancel();
    if (!(await replay.run(false))) return undefined;
    announce('Started the replay.');
    return onDone();
  };
  return (
    <ConfirmDialog
      title={deliveryId === undefined ? 'Replay events' : 'Replay this delivery'}
      confirm={counted === undefined ? 'Count the events' : counted === 0 ? 'Close' : `Replay ${countOf(counted, 'event')}`}
      isRunning={replay.isRunning}
      error={replay.error}
      onConfirm={() => void confirm()}
      onCancel={onCancel}
    >
      {deliveryId === undefined && (
        <fieldset class="choices">
          <legend>What to send again</legend>
          {(Object.keys(modes) as Mode[]).map((one) => (
            <label class="check" key={one}>
              <input type="radio" name="mode" checked={mode === one} onChange={() => setMode(one)} />
              {modes[one]}
            </label>
          ))}
        </fieldset>
      )}
      {deliveryId === undefined && mode === 'range' && (
        <div class="columns">
          {(['from', 'to'] as const).map((end) => (
            <label class="field" key={end}>
              <span>{end === 'from' ? 'First sequence' : 'Last sequence'}</span>
              <input
                class="input"
                type="number"
                min="1"
                required
                value={range[end]}
                onInput={(event) => {
                  const { value } = event.currentTarget;
                  setRange({ ...range, [end]: value });
                }}
              />
            </label>
          ))}
        </div>
      )}
      {counted !== undefined && (
        <p role="status">
          {counted === 0
            ? 'No event would be sent: none matches, or the bodies are no longer kept.'
            : `${countOf(counted, 'event')} would be sent.`}
        </p>
      )}
      <div class="note wait">
        <p>
          A replay carries old state: each event is sent as it was then. A receiver that does not compare the sequence overwrites users and
          groups with that old state.
        </p>
      </div>
    </ConfirmDialog>
  );
}

function toRequest({
  deliveryId,
  mode,
  range,
}: {
  deliveryId: string | undefined;
  mode: Mode;
  range: { from: string; to: string };
}): ReplayRequest {
  if (deliveryId !== undefined) return { mode: 'single', delivery_id: deliveryId };
  if (mode === 'range') return { mode, from_sequence: Number(range.from), to_sequence: Number(range.to) };
  return { mode };
}
