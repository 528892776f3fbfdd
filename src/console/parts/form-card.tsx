import type { ComponentChildren } from 'preact';

/** A form that is a page's main content. The browser does not send it: `submit` does what it asks for. */
export const FormCard = ({ submit, children }: { submit(): Promise<void>; children: ComponentChildren }) => (
  <form
    class="card form"
    onSubmit={(event) => {
      event.preventDefault();
      void submit();
    }}
  >
    <div class="body form">{children}</div>
  </form>
);
