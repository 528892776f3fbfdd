import { widthOf, type Shell } from './shell.ts';
import { cleanText, fitText } from './terminal-text.ts';

export interface Step {
  text: string;
  /** How much of how much is done; without it there is only the text. */
  done?: number;
  total?: number;
}

export interface Progress {
  show(step: Step): void;
  /** Leaves the line as if it had not been there. */
  end(): void;
}

const barWidth = 24;
const quietMs = 10_000;

/** A line that changes on a terminal; elsewhere a line now and then, so that a log shows that it goes on. */
export function createProgress({ env, stderr }: Pick<Shell, 'env' | 'stderr'>, now: () => number = Date.now): Progress {
  if (stderr.isTTY) {
    const width = () => Math.max(20, widthOf({ env, stdout: stderr }) - 1);
    return {
      show: (step) => void stderr.write(`\r${fitText(inWords(step, true), width())}\u001b[K`),
      end: () => void stderr.write('\r\u001b[K'),
    };
  }
  let [lastText, lastMs] = ['', -Infinity];
  return {
    show(step) {
      if (step.text === lastText && now() - lastMs < quietMs) return;
      [lastText, lastMs] = [step.text, now()];
      stderr.write(`${inWords(step, false)}\n`);
    },
    end: () => undefined,
  };
}

function inWords({ text, done, total }: Step, withBar: boolean): string {
  const words = cleanText(text);
  if (done === undefined || total === undefined) return done === undefined ? words : `${words} ${count(done)}`;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const figures = `${count(done)} of ${count(total)} (${Math.floor(share * 100)} %)`;
  if (!withBar) return `${words} ${figures}`;
  const full = Math.round(share * barWidth);
  return `${words} ${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${figures}`;
}

const count = (number: number) => number.toLocaleString('en');
