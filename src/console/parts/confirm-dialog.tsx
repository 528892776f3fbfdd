import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ClientError } from '../../client/result.ts';
import { ActionError } from './states.tsx';

interface ConfirmDialogProps {
  title: string;
  /** The button that does it. */
  confirm: string;
  isDangerous?: boolean;
  /** What has to be typed first. */
  typed?: string;
  isRunning?: boolean;
  error?: ClientError | undefined;
  children?: ComponentChildren;
  onConfirm(): void;
  onCancel(): void;
}

/** As the page shows a name: nobody sees how many spaces it has. */
const collapse = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** Asks before something is done. Escape cancels, and the focus goes back to where it was. */
export function ConfirmDialog({
  title,
  confirm,
  isDangerous = false,
  typed,
  isRunning = false,
  error,
  children,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const titleId = useId();
  const isTyped = typed === undefined || collapse(text) === collapse(typed);
  // A layout effect, because a key that is pressed just after closing must find the focus where it was.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      // While it is open, nothing behind it can have the focus.
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRunning && isTyped) onConfirm();
        }}
      >
        <h2 id={titleId}>{title}</h2>
        {children}
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <span class="isolated">{typed}</span> to confirm
            </span>
            <input class="input" autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
        )}
        <ActionError error={error} />
        <div class="actions">
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
          <button
            class={`button main ${isDangerous ? 'danger' : ''}`}
            disabled={isRunning || !isTyped}
            onClick={(event) => {
              // The second click of a double click was meant for what was at this place before.
              if (event.detail > 1) event.preventDefault();
            }}
          >
            {confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}
