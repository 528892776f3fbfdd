import type { Printer } from '../print.ts';
import { cleanText, padText, textWidth } from '../terminal-text.ts';
import type { Finding, Verdict } from './finding.ts';

/** By check, each with a sign that is plain without colour, too. */
export function printFindings(print: Printer, findings: Finding[]): void {
  const signs: Record<Verdict, string> = { ok: print.green('✓'), warning: print.yellow('!'), problem: print.red('✗'), skipped: '-' };
  const width = Math.max(...findings.map(({ check }) => textWidth(check)));
  let last = '';
  const checks = [...new Set(findings.map(({ check }) => check))];
  const byCheck = checks.flatMap((check) => findings.filter((finding) => finding.check === check));
  for (const { check, verdict, message, advice } of byCheck) {
    print.painted(`${signs[verdict]} ${padText(check === last ? '' : check, width)}  ${cleanText(message)}`);
    if (advice !== undefined) print.painted(`  ${padText('', width)}  → ${cleanText(advice)}`);
    last = check;
  }
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  print.painted('');
  if (problems === 0) print.painted(warnings === 0 ? 'All is well.' : `Nothing is broken; ${counted(warnings, 'thing')} to look at (!).`);
  else
    print.painted(
      `${counted(problems, 'problem')} to put right (✗)${warnings === 0 ? '' : `, ${counted(warnings, 'thing')} to look at (!)`}.`,
    );
}

const counted = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
