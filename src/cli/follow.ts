import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../client/index.ts';
import { explainRefusal, type Asked } from './ask.ts';
import type { Progress } from './progress.ts';

interface Following<Thing, More> {
  read: () => Promise<Result<Thing, More>>;
  isOver: (thing: Thing) => boolean;
  show: (thing: Thing) => void;
  progress: Progress;
  asked: Asked;
}

const [firstPauseMs, longestPauseMs] = [150, 1_000];
/** As long as a restart of the service may take. */
const patienceMs = 60_000;
const passing = new Set(['unreachable', 'unavailable', 'rate_limited', 'internal']);

/** Looks at something that goes on in the service until it is over. It goes on there, whoever looks. */
export async function follow<Thing, More>({ read, isOver, show, progress, asked }: Following<Thing, More>): Promise<Thing> {
  let awaySinceMs: number | undefined;
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.3, longestPauseMs)) {
      const { data, error } = await read();
      if (error) {
        awaySinceMs ??= Date.now();
        if (!passing.has(error.code) || Date.now() - awaySinceMs > patienceMs) throw explainRefusal(error, asked);
        progress.show({ text: 'The service does not answer at the moment: looking again.' });
      } else {
        awaySinceMs = undefined;
        show(data);
        if (isOver(data)) return data;
      }
      await sleep(pauseMs);
    }
  } finally {
    progress.end();
  }
}
