import type { AttributeMapping } from '../../../client/generated/types.ts';
import { Time } from '../../parts/time.tsx';
import { countOf } from '../../parts/words.ts';

interface RecomputeProgressProps {
  recompute: AttributeMapping['recompute'];
}

/** How far the last recomputation of users is. Absent before the first one. */
export function RecomputeProgress({ recompute }: RecomputeProgressProps) {
  if (!recompute) return null;
  const { state, done, total, requested_at: requested, finished_at: finished } = recompute;
  if (state === 'done')
    return (
      <p class="soft">
        The last recomputation of users ended <Time at={finished} />.
      </p>
    );
  return (
    <section class="note wait" aria-label="Recomputation of users">
      <p>
        {done.toLocaleString()} of {countOf(total, 'user')} are computed, since <Time at={requested} />. The rest waits whenever too many
        events are undelivered.
      </p>
      <progress aria-label="Computed users" value={done} max={Math.max(total, 1)} />
    </section>
  );
}
