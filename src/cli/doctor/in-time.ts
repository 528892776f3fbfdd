import { createFindings, type Finding, type Look } from './finding.ts';

/** A look that hangs is a finding, too; what it waits for is left. */
export async function inTime(check: string, look: Look, limitMs: number): Promise<Finding[]> {
  const { problem } = createFindings(check);
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    timer = setTimeout(() => {
      ending.abort();
      resolve([
        problem(`There was no answer within ${limitMs / 1_000} s.`, 'Look whether the machine is busy, or a firewall drops what is sent.'),
      ]);
    }, limitMs);
  });
  try {
    return await Promise.race([look(ending.signal), late]);
  } catch (error) {
    return [
      problem(
        `The check itself failed: ${error instanceof Error ? error.message : String(error)}`,
        'Run `rollcall doctor` again; if it stays so, report it.',
      ),
    ];
  } finally {
    clearTimeout(timer);
  }
}
