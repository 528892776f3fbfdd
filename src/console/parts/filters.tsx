import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { setQuery, useLocation } from '../router.ts';

const typingMs = 300;

export const Filters = ({ children }: { children: ComponentChildren }) => (
  <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
    {children}
  </form>
);

/** A text that is in the address under `name`, shortly after somebody stops typing. */
export function TextFilter({ name, label }: { name: string; label: string }) {
  const { query } = useLocation();
  const given = query.get(name) ?? '';
  const [text, setText] = useState(given);
  const written = useRef(given);
  useEffect(() => {
    // Somebody went back, or followed a link.
    if (given !== written.current) {
      written.current = given;
      setText(given);
    }
  }, [given]);
  useEffect(() => {
    if (text.trim() === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = text.trim();
      setQuery({ [name]: text.trim() });
    }, typingMs);
    return () => clearTimeout(timer);
  }, [text, name]);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        type="search"
        value={text}
        maxLength={200}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

/** A choice that is in the address under `name`. */
export function ChoiceFilter({ name, label, any, options }: { name: string; label: string; any: string; options: Record<string, string> }) {
  const { query } = useLocation();
  return (
    <label class="field">
      <span>{label}</span>
      <select class="input" value={query.get(name) ?? ''} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        <option value="">{any}</option>
        {Object.entries(options).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
