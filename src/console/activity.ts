const idleAfterMs = 15 * 60_000;
const inputs = ['keydown', 'pointerdown', 'pointermove'] as const;

let lastInputAt = Date.now();
const listeners = new Set<() => void>();

/** Whether nobody has pressed a key or moved the pointer for so long that an open tab must not keep the session from ending. */
export const isIdle = (): boolean => Date.now() - lastInputAt >= idleAfterMs;

/** Calls when somebody is back. */
export function onReturn(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function note(): void {
  const wasIdle = isIdle();
  lastInputAt = Date.now();
  if (wasIdle) for (const listener of listeners) listener();
}

export function watchInput(): void {
  for (const input of inputs) window.addEventListener(input, note, { capture: true, passive: true });
}
