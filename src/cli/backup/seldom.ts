import type { Progress } from '../progress.ts';

const everyMs = 100;

/** For what advances thousands of times a second. */
export function seldom(progress: Progress): Progress {
  let shownMs = -Infinity;
  return {
    ...progress,
    show(step) {
      if (performance.now() - shownMs < everyMs) return;
      shownMs = performance.now();
      progress.show(step);
    },
  };
}
