import { readVersion } from '../../shared/version.ts';
import type { Connection } from '../connection.ts';
import { clockFinding } from './clock.ts';
import { createFindings, type Finding } from './finding.ts';

const { ok, problem, warning } = createFindings('Service');
const key = createFindings('API key');
const answerMs = 6_000;

/** The service that commands would ask. */
export async function checkService({ baseUrl, urlFrom }: Pick<Connection, 'baseUrl' | 'urlFrom'>, signal: AbortSignal): Promise<Finding[]> {
  const asked = { signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]), redirect: 'manual' as const };
  const fromMs = Date.now();
  let answer: Response;
  try {
    answer = await fetch(`${baseUrl}/health/ready`, asked);
  } catch (error) {
    return [
      problem(
        `No service answers at ${baseUrl} (${reasonOf(error)}), the address from ${urlFrom}.`,
        'Start it with `npm start`, or give its address with --url or ROLLCALL_URL.',
      ),
    ];
  }
  const askedForMs = Date.now() - fromMs;
  const text = await answer.text().catch(() => '');
  const found = healthFinding(baseUrl, answer.status, text);
  const date = Date.parse(answer.headers.get('date') ?? '');
  return [
    found,
    ...(found.verdict === 'problem' && !isHealth(text) ? [] : await versionFindings(baseUrl, asked)),
    ...(Number.isNaN(date) ? [] : [clockFinding('the service', new Date(date), { uncertainMs: askedForMs + 1_000 })]),
  ];
}

export async function checkApiKey({ baseUrl, apiKey, keyFrom }: Connection, signal: AbortSignal): Promise<Finding[]> {
  try {
    const { status } = await fetch(`${baseUrl}/api/v1/stats`, {
      headers: { authorization: `Api-Key ${apiKey}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      redirect: 'manual',
    });
    if (status === 401 || status === 403)
      return [
        key.problem(
          `The service does not take the key from ${keyFrom}.`,
          'Give the right one: ROLLCALL_API_KEY, --api-key-file, or the folder of the service.',
        ),
      ];
    return [
      status === 200
        ? key.ok(`The service takes the key from ${keyFrom}.`)
        : key.skipped(`Whether the key is right can't be told: the service answers ${status}.`),
    ];
  } catch {
    return [key.skipped('Whether the key is right can only be told when the service answers.')];
  }
}

const parse = (text: string): { data?: { status?: unknown } | null; error?: { missing?: unknown } | null } | undefined => {
  try {
    return JSON.parse(text) as ReturnType<typeof parse>;
  } catch {
    return undefined;
  }
};
const isHealth = (text: string) => parse(text)?.data !== undefined || parse(text)?.error !== undefined;

function healthFinding(baseUrl: string, status: number, text: string): Finding {
  const answer = parse(text);
  if (status === 200 && answer?.data?.status === 'ready') return ok(`The service at ${baseUrl} is ready.`);
  const missing = answer?.error?.missing;
  if (Array.isArray(missing))
    return problem(`The service at ${baseUrl} is not ready: ${missing.join(' ')}`, 'Put right what it lacks; its log says more.');
  return problem(
    `What answers at ${baseUrl} is not Rollcall, or something is between (status ${status}).`,
    'Correct the address: --url, ROLLCALL_URL, EXTERNAL_URL or PORT.',
  );
}

/** An older service does not say. */
async function versionFindings(baseUrl: string, asked: RequestInit): Promise<Finding[]> {
  try {
    const answer = await fetch(`${baseUrl}/openapi.json`, asked);
    const { info } = (await answer.json()) as { info?: { version?: unknown } };
    if (!answer.ok || typeof info?.version !== 'string') return [];
    const version = readVersion();
    return info.version === version
      ? [ok(`It is version ${version}, as is this command line.`)]
      : [warning(`It is version ${info.version}, and this command line is ${version}.`, 'Use the command line of the same version.')];
  } catch {
    return [];
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
