import type { ClientError } from '../../client/result.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface EventsDialogProps {
  title: string;
  confirm: string;
  isDangerous?: boolean;
  /** The error that counts the events: `confirmation_required`. */
  needed: ClientError;
  onConfirm(events: number): void;
  onCancel(): void;
}

/** Shows how many events a change would send, of each type, and asks whether to send them. */
export function EventsDialog({ needed: { events = {}, confirm: total = 0 }, onConfirm, ...dialog }: EventsDialogProps) {
  return (
    <ConfirmDialog {...dialog} onConfirm={() => onConfirm(total)}>
      <p>Your application will get:</p>
      <ul>
        {Object.entries(events)
          .filter(([, count]) => count > 0)
          .map(([type, count]) => (
            <li key={type}>
              {count.toLocaleString()} <code>{type}</code>
            </li>
          ))}
      </ul>
    </ConfirmDialog>
  );
}

export const isConfirmationNeeded = (error: ClientError | undefined): error is ClientError => error?.code === 'confirmation_required';
