import { useState } from 'preact/hooks';
import type { Result } from '../../client/result.ts';
import { useAction } from '../api.ts';
import { useMay } from '../session.tsx';
import { CopyButton } from './copy-button.tsx';
import { ActionError } from './states.tsx';

interface SecretProps {
  /** What the secret is called. */
  what: string;
  /** Its last characters. */
  hint: string | undefined;
  read: () => Promise<Result<{ secret: string | null }>>;
}

/** Hidden until somebody reveals it, which the audit log notes. With `hint` as its key, a rotated secret is hidden again. */
export function Secret({ what, hint, read }: SecretProps) {
  const may = useMay();
  const [shown, setShown] = useState<{ secret: string | null }>();
  const reveal = useAction(read);
  if (shown?.secret)
    return (
      <>
        <code>{shown.secret}</code>
        <CopyButton text={shown.secret} what={what} />
        <button type="button" class="button small" aria-label={`Hide: ${what}`} onClick={() => setShown(undefined)}>
          Hide
        </button>
      </>
    );
  return (
    <>
      <code>••••••••{hint ?? ''}</code>
      {shown && <span class="soft">Secrets are shown only when they are created. Rotate this one to get a new secret.</span>}
      {!shown && may('secrets:read') && (
        <button
          type="button"
          class="button small"
          aria-label={`Reveal: ${what}`}
          disabled={reveal.isRunning}
          onClick={() => void reveal.run().then((result) => result && setShown(result.data))}
        >
          Reveal
        </button>
      )}
      <ActionError error={reveal.error} />
    </>
  );
}
