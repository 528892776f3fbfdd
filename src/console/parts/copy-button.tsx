import { useState } from 'preact/hooks';
import { announce } from './toasts.tsx';

/** `what` names the value for screen readers, which else hear several buttons "Copy". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    const succeeded = await copyText(text);
    setIsCopied(succeeded);
    announce(succeeded ? `${what}: copied.` : `${what}: the browser does not let this page copy it; select the text instead.`);
    setTimeout(() => setIsCopied(false), 2_000);
  };
  return (
    <button type="button" class="button small" aria-label={`Copy: ${what}`} onClick={() => void copy()}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  );
}

/** Browsers have `navigator.clipboard` only with https and on the machine itself. */
async function copyText(text: string): Promise<boolean> {
  try {
    await window.navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const succeeded = document.execCommand('copy');
  field.remove();
  return succeeded;
}
