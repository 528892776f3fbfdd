import { widthOf, type Shell } from '../shell.ts';
import { cleanText, fitText } from './terminal-text.ts';

export interface Step {
  text: string;
  done?: number;
  total?: number;
  /** Of `done` and `total`. Default: things that the text names. */
  unit?: string;
}

export interface Progress {
  show(step: Step): void;
  /** Clears the line on a terminal. */
  end(): void;
}

const barWidth = 24;
const repeatAfterMs = 10_000;

/** On a terminal one line that is redrawn; elsewhere a line when the text changes or all is done, and one every ten seconds. */
export function createProgress({ env, stderr }: Pick<Shell, 'env' | 'stderr'>, now: () => number = Date.now): Progress {
  if (stderr.isTTY) {
    const width = () => Math.max(20, widthOf({ env, stdout: stderr }) - 1);
    return {
      show: (step) => void stderr.write(`\r${fitText(formatStep(step, true), width())}\u001b[K`),
      end: () => void stderr.write('\r\u001b[K'),
    };
  }
  let [last, lastMs]: [Step | undefined, number] = [undefined, -Infinity];
  return {
    show(step) {
      const isNew = step.text !== last?.text || (isComplete(step) && step.done !== last.done);
      if (!isNew && now() - lastMs < repeatAfterMs) return;
      [last, lastMs] = [step, now()];
      stderr.write(`${formatStep(step, false)}\n`);
    },
    end: () => undefined,
  };
}

function formatStep({ text, done, total, unit }: Step, withBar: boolean): string {
  const words = cleanText(text);
  if (done === undefined || total === undefined) return done === undefined ? words : `${words} ${count(done)}`;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const figures = `${count(done)} of ${count(total)}${unit === undefined ? '' : ` ${unit}`} (${Math.floor(share * 100)}%)`;
  if (!withBar) return `${words} ${figures}`;
  const full = Math.round(share * barWidth);
  return `${words} ${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${figures}`;
}

const isComplete = ({ done, total }: Step) => done !== undefined && done === total;

const count = (number: number) => number.toLocaleString('en');

const stalledAfterMs = 10_000;

/** Returns true once: when `done` has not changed for ten seconds. */
export function createStallDetector(now: () => number = Date.now): (done: number) => boolean {
  let [lastDone, sinceMs, isReported] = [-1, 0, false];
  return (done) => {
    if (done !== lastDone) [lastDone, sinceMs] = [done, now()];
    if (isReported || now() - sinceMs < stalledAfterMs) return false;
    isReported = true;
    return true;
  };
}

const redrawEveryMs = 100;

/** For work that reports thousands of steps per second. */
export function throttleProgress(progress: Progress): Progress {
  let shownMs = -Infinity;
  return {
    ...progress,
    show(step) {
      if (!isComplete(step) && performance.now() - shownMs < redrawEveryMs) return;
      shownMs = performance.now();
      progress.show(step);
    },
  };
}
