import type { Outcome } from '../directory/changes/mutation.ts';
import type { SubmittedMutation } from '../directory/ports.ts';

/**
 * An outcome in workflow history. Temporal keeps a result twice, so a long outcome stays in Postgres, where the request that waits for it
 * reads it.
 */
export type MutationResult = ({ kind: 'outcome' } & Outcome) | { kind: 'stored'; mutationId: string; directoryId: string };

export interface AppliedRound {
  results: MutationResult[];
  /** Directories whose delivery must be woken. */
  wake: string[];
}

/** Applies mutations: reads and decides now, and writes once Temporal has accepted their workflow. */
type Apply = (submitted: SubmittedMutation[], accepted: Promise<void>) => Promise<AppliedRound>;

/**
 * Lets this process begin with the work of an activity while Temporal accepts its workflow. When the activity runs here, it takes over the
 * result. If it runs elsewhere, or this process has died, it applies the mutations itself: applying them twice has the effect of once.
 */
export interface HeadStarts {
  /** The activity passes its function with this. */
  onBegin(apply: Apply): void;
  /** Nothing is written if `accepted` rejects. */
  begin(submitted: SubmittedMutation[], accepted: Promise<void>): void;
  take(submitted: SubmittedMutation[]): Promise<AppliedRound> | undefined;
}

/** An activity that has not come by then runs elsewhere. */
const keptMs = 60_000;

export function createHeadStarts(): HeadStarts {
  const open = new Map<string, { beganMs: number; applying: Promise<AppliedRound> }>();
  let apply: Apply | undefined;
  return {
    onBegin(begin) {
      apply = begin;
    },

    begin(submitted, accepted) {
      const id = submitted[0]!.id;
      accepted.catch(() => open.delete(id));
      const applying = apply?.(submitted, accepted);
      if (!applying) return;
      // The activity reports a failure.
      applying.catch(() => undefined);
      dropForgotten();
      open.set(id, { beganMs: performance.now(), applying });
    },

    take(submitted) {
      const id = submitted[0]!.id;
      const taken = open.get(id)?.applying;
      open.delete(id);
      return taken;
    },
  };

  function dropForgotten() {
    const beforeMs = performance.now() - keptMs;
    for (const [id, { beganMs }] of open) {
      if (beganMs > beforeMs) return;
      open.delete(id);
    }
  }
}
