import { createFindings, type Finding } from './findings.ts';

const { ok, warning, problem } = createFindings('Clock');
/** The Date header has whole seconds. */
const [toleranceMs, harmfulMs] = [5_000, 120_000];

/** Compares another clock with this machine's. */
export function checkClock(
  owner: string,
  time: Date,
  { uncertaintyMs, nowMs = Date.now() }: { uncertaintyMs: number; nowMs?: number },
): Finding {
  const offsetMs = time.getTime() - (nowMs - uncertaintyMs / 2);
  if (Math.abs(offsetMs) <= toleranceMs + uncertaintyMs) return ok(`The clock of ${owner} agrees with this machine's.`);
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  const message = `The clock of ${owner} is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's.`;
  const advice = 'Synchronize the clocks of all machines with NTP.';
  if (Math.abs(offsetMs) < harmfulMs) return warning(`${message} Times in events and logs are off by as much.`, advice);
  return problem(
    `${message} Receivers reject webhooks whose timestamp is off by more than five minutes, and Google rejects requests that are signed with a wrong time.`,
    advice,
  );
}
