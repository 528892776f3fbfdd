import { createFindings, type Finding } from './finding.ts';

const { ok, warning, problem } = createFindings('Clock');
/** The header of an answer has whole seconds. */
const [noticedMs, harmfulMs] = [5_000, 120_000];

/** How far another clock is from ours, and what breaks. */
export function clockFinding(
  whose: string,
  theirs: Date,
  { uncertainMs, nowMs = Date.now() }: { uncertainMs: number; nowMs?: number },
): Finding {
  const awayMs = theirs.getTime() - (nowMs - uncertainMs / 2);
  const seconds = Math.round(Math.abs(awayMs) / 1_000);
  if (Math.abs(awayMs) <= noticedMs + uncertainMs) return ok(`The clock of ${whose} and this one agree.`);
  const message = `The clock of ${whose} is ${seconds} s ${awayMs > 0 ? 'ahead of' : 'behind'} this one.`;
  const advice = 'Let a time service (NTP) set the clocks of all machines.';
  if (Math.abs(awayMs) < harmfulMs) return warning(`${message} Times in events and in the log are off by that.`, advice);
  return problem(
    `${message} Receivers refuse webhooks whose time is more than five minutes off, and Google refuses what is signed with it.`,
    advice,
  );
}
