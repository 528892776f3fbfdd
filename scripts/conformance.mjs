// `npm run conformance`: runs scim2-tester, an independent tester, against a new Rollcall.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './conformance/service.mjs';
import { runTester, obtainTester } from './conformance/tester.mjs';
import { ScriptError } from './prepare/run.mjs';

const withoutTester = 3;

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort(new ScriptError('Interrupted.')));

try {
  process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
  obtain();
  process.exitCode = report(await test());
} catch (error) {
  const cause = error.cause ?? error;
  if (!(cause instanceof ScriptError)) throw error;
  console.error(cause.message);
  process.exitCode ??= 1;
}

/** Without the tester there is no result, so this has its own exit code. */
function obtain() {
  process.exitCode = withoutTester;
  obtainTester();
  process.exitCode = undefined;
}

async function test() {
  const service = await startService();
  try {
    return await runTester({ ...(await service.createDirectory()), signal: interrupted.signal });
  } finally {
    await service.stop();
  }
}

function report(results) {
  const others = results.filter(({ status }) => status !== 'SUCCESS');
  for (const { status, title, lines } of others) console.log([`${status} ${title}`, ...lines].join('\n').trimEnd());
  console.log(`Conformance: ${results.length - others.length} of ${results.length} checks passed.`);
  return others.length === 0 ? 0 : 1;
}
