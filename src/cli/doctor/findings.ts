import { raceTimeout } from '../../shared/timeout.ts';
import { pluralize } from '../output/format.ts';
import type { Printer } from '../output/printer.ts';
import { cleanText, padText, textWidth } from '../output/terminal-text.ts';

type Verdict = 'ok' | 'warning' | 'problem' | 'skipped';

/** The result of one check, and what to do about it. */
export interface Finding {
  check: string;
  verdict: Verdict;
  message: string;
  advice?: string;
}

export const createFindings = (check: string) => ({
  ok: (message: string): Finding => ({ check, verdict: 'ok', message }),
  warning: (message: string, advice: string): Finding => ({ check, verdict: 'warning', message, advice }),
  problem: (message: string, advice: string): Finding => ({ check, verdict: 'problem', message, advice }),
  skipped: (message: string): Finding => ({ check, verdict: 'skipped', message }),
});

/** Runs a check. A check that fails or does not end in time is a problem itself; it is aborted, not awaited. */
export async function withTimeLimit(check: string, run: (signal: AbortSignal) => Promise<Finding[]>, limitMs: number): Promise<Finding[]> {
  const { problem } = createFindings(check);
  const aborting = new AbortController();
  try {
    const findings = await raceTimeout(limitMs, run(aborting.signal), undefined);
    if (findings) return findings;
    aborting.abort();
    return [problem(`No response within ${limitMs / 1_000} s.`, 'Check whether this machine is overloaded, or a firewall drops packets.')];
  } catch (error) {
    return [
      problem(
        `The check itself failed: ${error instanceof Error ? error.message : String(error)}`,
        'Run `rollcall doctor` again. If it fails again, report a bug.',
      ),
    ];
  }
}

/** Grouped by check, each with a sign that is clear without color too. */
export function printFindings(print: Printer, findings: Finding[]): void {
  const signs: Record<Verdict, string> = { ok: print.green('✓'), warning: print.yellow('!'), problem: print.red('✗'), skipped: '-' };
  const width = Math.max(...findings.map(({ check }) => textWidth(check)));
  for (const check of new Set(findings.map((finding) => finding.check))) {
    let label = check;
    for (const { verdict, message, advice } of findings.filter((finding) => finding.check === check)) {
      print.painted(`${signs[verdict]} ${padText(label, width)}  ${cleanText(message)}`);
      if (advice !== undefined) print.painted(`  ${padText('', width)}  → ${cleanText(advice)}`);
      label = '';
    }
  }
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const parts = [
    ...(problems > 0 ? [`${pluralize(problems, 'problem')} (✗)`] : []),
    ...(warnings > 0 ? [`${pluralize(warnings, 'warning')} (!)`] : []),
  ];
  print.painted(`\n${parts.length === 0 ? 'All checks passed.' : `Found ${parts.join(' and ')}.`}`);
}
