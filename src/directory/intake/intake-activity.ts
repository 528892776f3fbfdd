import type { Intake } from './ports.ts';

/** A provider that pushes one change after another leaves gaps of this length at most. */
const quietAfterMs = 1_000;

export interface IntakeActivity {
  /** Whether a caller waits for a change in this process, or did within the last second. */
  isBusy(): boolean;
  watch(intake: Intake): Intake;
}

/** Knows whether changes are arriving, so that long reads of the same process can give way to them. */
export function createIntakeActivity(now = () => performance.now()): IntakeActivity {
  let open = 0;
  let lastMs = -Infinity;
  return {
    isBusy: () => open > 0 || now() - lastMs < quietAfterMs,
    watch: (intake) => ({
      assertAccepts: (directoryId, options) => intake.assertAccepts(directoryId, options),
      async submit(mutation, caller) {
        open += 1;
        try {
          return await intake.submit(mutation, caller);
        } finally {
          open -= 1;
          lastMs = now();
        }
      },
    }),
  };
}
