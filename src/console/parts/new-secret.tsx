import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy-button.tsx';

interface NewSecretProps {
  /** What it is called. */
  what: string;
  value: string;
  children: ComponentChildren;
}

/** Shown once, when it is created. */
export const NewSecret = ({ what, value, children }: NewSecretProps) => (
  <div class="note good" role="status">
    <p>{children}</p>
    <div class="actions">
      <code>{value}</code>
      <CopyButton text={value} what={what} />
    </div>
  </div>
);
