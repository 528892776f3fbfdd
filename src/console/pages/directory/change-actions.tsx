import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Result } from '../../../client/result.ts';
import { useAction } from '../../api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Card } from '../../parts/page.tsx';
import { ActionError } from '../../parts/states.tsx';
import { announce } from '../../parts/toasts.tsx';
import { useMay } from '../../session.tsx';
import { type Counts, describeCounts, uncounted } from './preview-counts.ts';

interface ChangeActionsProps<Preview extends Counts> {
  /** What is saved, such as `mapping`. */
  what: string;
  /** What would be saved, as text. Another one makes an earlier preview disappear. */
  draft: string;
  isChanged: boolean;
  preview(): Promise<Result<Preview>>;
  save(): Promise<Result<unknown>>;
  children(preview: Preview): ComponentChildren;
  onSaved(): void;
  onDiscard(): void;
}

/** "Preview", "Save" and "Discard" of what computes users again. Before it is saved, it shows how many events it sends. */
export function ChangeActions<Preview extends Counts>(props: ChangeActionsProps<Preview>) {
  const { what, draft, isChanged, children, onSaved, onDiscard } = props;
  const may = useMay();
  const [tried, setTried] = useState<string>();
  const [asks, setAsks] = useState(false);
  const preview = useAction(props.preview);
  const save = useAction(props.save);
  const buttons = useRef<HTMLDivElement>(null);
  const wasChanged = useRef(isChanged);
  // "Save" and "Discard" disappear, and one of them had the focus.
  useLayoutEffect(() => {
    if (wasChanged.current && !isChanged && document.activeElement === document.body) buttons.current?.focus();
    wasChanged.current = isChanged;
  }, [isChanged]);
  const isCurrent = tried === draft;
  const shown = isCurrent ? preview.result?.data : undefined;
  // Others have saved something while the question was open: its number is not true any more.
  const isOutdated = shown === undefined && may('people:read');
  const compute = () => {
    setTried(draft);
    return preview.run();
  };
  const ask = async () => {
    // It also finds what is invalid, before anybody is asked.
    if (!may('people:read') || (await compute())) setAsks(true);
  };
  const confirm = async () => {
    if (!(await save.run())) return;
    setAsks(false);
    announce(`Saved the ${what}.`);
    onSaved();
  };
  return (
    <>
      <div class="actions" ref={buttons} tabIndex={-1}>
        {may('people:read') && (
          <button type="button" class="button" disabled={preview.isRunning} onClick={() => void compute()}>
            Preview
          </button>
        )}
        {may('directories:write') && isChanged && (
          <>
            <button type="button" class="button main" disabled={preview.isRunning} onClick={() => void ask()}>
              Save
            </button>
            <button type="button" class="button" onClick={onDiscard}>
              Discard
            </button>
          </>
        )}
      </div>
      {isCurrent && <ActionError error={preview.error} />}
      {shown && (
        <Card title="Preview">
          <p role="status">{describeCounts(shown)}</p>
          {children(shown)}
        </Card>
      )}
      {asks && (
        <ConfirmDialog
          title={`Save the ${what}?`}
          confirm="Save"
          isRunning={save.isRunning || isOutdated}
          error={save.error}
          onConfirm={() => void confirm()}
          onCancel={() => setAsks(false)}
        >
          <p>{shown ? describeCounts(shown) : isOutdated ? outdated : uncounted}</p>
          <p class="soft">All users are computed in the background.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const outdated = 'What would be saved has changed since the preview. Cancel, and save again.';
