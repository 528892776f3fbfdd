import type { DeliveryState } from '../../client/index.ts';
import type { Printer } from '../print.ts';
import { shortTime, timeAndAge } from '../times.ts';

export function printState(print: Printer, state: DeliveryState): void {
  const { open } = state;
  const isTried = state.status === 'enabled';
  const next = shortTime(open?.next_attempt_at) || 'now';
  print.fields([
    ['Status', state.status],
    ['Reason', state.reason],
    ['Webhook', state.url ?? 'none'],
    ['Backlog', `${state.backlog} events`],
    ['Delivered up to', `${state.acked_sequence} of ${state.last_sequence}`],
    ['Oldest waiting', state.oldest_pending_at && timeAndAge(state.oldest_pending_at)],
    ['Failing since', state.first_failure_at && timeAndAge(state.first_failure_at)],
    ['Last delivered', timeAndAge(state.last_success_at)],
    [isTried ? 'Being tried' : 'Left for later', open && `${open.id}, after ${open.attempts} attempts${isTried ? `, next ${next}` : ''}`],
  ]);
}
