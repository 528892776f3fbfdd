import { useMemo } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { indentJson } from './indent-json.ts';

const maxShown = 100_000;

/** A body or a document. "Copy" copies it exactly, also what is too long to be shown. */
export function TextBlock({ title, text, none = 'Empty' }: { title: string; text: string | null | undefined; none?: string }) {
  const readable = useMemo(() => (text ? indentJson(text, maxShown) : ''), [text]);
  return (
    <section class="block" aria-label={title}>
      <header>
        <h3>{title}</h3>
        {text && <CopyButton text={text} what={title} />}
      </header>
      {text ? (
        <pre class="text" tabIndex={0} role="region" aria-label={`${title}: text`}>
          {readable.slice(0, maxShown)}
          {readable.length > maxShown && '\n…'}
        </pre>
      ) : (
        <p class="soft">{none}</p>
      )}
    </section>
  );
}

export const JsonBlock = ({ title, value }: { title: string; value: unknown }) => (
  <TextBlock title={title} text={value === null || value === undefined ? null : JSON.stringify(value, null, 2)} />
);
