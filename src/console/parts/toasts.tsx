import { useEffect, useState } from 'preact/hooks';

const shownMs = 6_000;
let show: (text: string) => void = () => undefined;

/** Tells what has been done, also to screen readers. */
export const announce = (text: string): void => show(text);

export function Toasts() {
  const [texts, setTexts] = useState<{ id: number; text: string }[]>([]);
  useEffect(() => {
    let last = 0;
    show = (text) => {
      last += 1;
      const id = last;
      setTexts((former) => [...former, { id, text }]);
      setTimeout(() => setTexts((former) => former.filter((one) => one.id !== id)), shownMs);
    };
    return () => {
      show = () => undefined;
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {texts.map(({ id, text }) => (
        <p class="toast" key={id}>
          {text}
        </p>
      ))}
    </div>
  );
}
