// `npm run conformance`: scim2-tester, which others wrote, judges a Rollcall that is started for it.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './conformance/service.mjs';
import { judge, obtainTester } from './conformance/tester.mjs';
import { Refusal } from './prepare/run.mjs';

const withoutTester = 3;

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort(new Refusal('Interrupted.')));

try {
  process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
  obtain();
  process.exitCode = report(await test());
} catch (error) {
  const cause = error.cause ?? error;
  if (!(cause instanceof Refusal)) throw error;
  console.error(cause.message);
  process.exitCode ??= 1;
}

/** Without the tester nothing is said of Rollcall: a code of its own. */
function obtain() {
  process.exitCode = withoutTester;
  obtainTester();
  process.exitCode = undefined;
}

async function test() {
  const service = await startService();
  try {
    return await judge({ ...(await service.createDirectory()), signal: interrupted.signal });
  } finally {
    await service.stop();
  }
}

function report(results) {
  const others = results.filter(({ status }) => status !== 'SUCCESS');
  for (const { status, title, lines } of others) console.log([`${status} ${title}`, ...lines].join('\n').trimEnd());
  console.log(`Conformance: ${results.length - others.length} of ${results.length} checks succeeded.`);
  return others.length === 0 ? 0 : 1;
}
