import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** Names the tab of the browser. Undefined: a page within this one does. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Rollcall`;
  }, [title]);
}

export function PageHead({ title, about, children }: { title: string; about?: ComponentChildren; children?: ComponentChildren }) {
  useTitle(title);
  return (
    <div class="head">
      <div>
        <h1 class="isolated">{title}</h1>
        {about && <p>{about}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

export const Card = ({ title, actions, children }: { title: string; actions?: ComponentChildren; children: ComponentChildren }) => (
  <section class="card" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {actions && <div class="actions">{actions}</div>}
    </header>
    <div class="body">{children}</div>
  </section>
);

/** Names and values. */
export const Facts = ({ children }: { children: ComponentChildren }) => <dl class="facts">{children}</dl>;

export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
