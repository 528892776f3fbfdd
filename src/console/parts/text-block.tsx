import { CopyButton } from './copy-button.tsx';

const maxShown = 100_000;

/** JSON with line breaks. What is no JSON stays as it is. */
function toReadable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A body or a document. "Copy" copies it exactly, also what is too long to be shown. */
export function TextBlock({ title, text, none = 'Empty' }: { title: string; text: string | null | undefined; none?: string }) {
  const readable = text ? toReadable(text) : '';
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
