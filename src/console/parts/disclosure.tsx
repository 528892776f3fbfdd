import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** Draws what it hides only once it is opened: a list may hide a hundred large bodies. */
export function Disclosure({ title, isOpen = false, children }: { title: string; isOpen?: boolean; children: ComponentChildren }) {
  const [isShown, setIsShown] = useState(isOpen);
  return (
    <details open={isOpen} onToggle={(event) => setIsShown(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isShown && children}
    </details>
  );
}
