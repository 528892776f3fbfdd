import { withTimeout } from '../../shared/timeout.ts';
import type { Connection } from '../connection.ts';
import { checkClock } from './check-clock.ts';
import { createFindings, type Finding } from './findings.ts';
import { readVersion } from '../../paths.ts';

const { ok, problem, warning } = createFindings('Service');
const apiKeyFindings = createFindings('API key');
const timeoutMs = 6_000;

type Service = Pick<Connection, 'baseUrl' | 'urlSource'>;

/** Checks the service that other commands would call. */
export const checkService = (service: Service, signal: AbortSignal): Promise<Finding[]> =>
  withTimeout(timeoutMs, signal, (ending) => checkWithin(service, ending));

async function checkWithin({ baseUrl, urlSource }: Service, signal: AbortSignal): Promise<Finding[]> {
  const request = { signal, redirect: 'manual' as const };
  const startedMs = Date.now();
  let response: Response;
  try {
    response = await fetch(`${baseUrl}/health/ready`, request);
  } catch (error) {
    return [
      problem(
        `No response from ${baseUrl} (${reasonOf(error)}), the URL from ${urlSource}.`,
        'Start the service with `npm start`, or pass its URL with --url or ROLLCALL_URL.',
      ),
    ];
  }
  const roundTripMs = Date.now() - startedMs;
  const text = await response.text().catch(() => '');
  const found = healthFinding(baseUrl, response.status, text);
  const date = Date.parse(response.headers.get('date') ?? '');
  return [
    found,
    ...(found.verdict === 'problem' && !isHealth(text) ? [] : await versionFindings(baseUrl, request)),
    ...(Number.isNaN(date) ? [] : [checkClock('the service', new Date(date), { uncertaintyMs: roundTripMs + 1_000 })]),
  ];
}

export async function checkApiKey({ baseUrl, apiKey, keySource }: Connection, signal: AbortSignal): Promise<Finding[]> {
  try {
    const headers = { authorization: `Api-Key ${apiKey}` };
    const { status } = await withTimeout(timeoutMs, signal, (ending) =>
      fetch(`${baseUrl}/api/v1/stats`, { headers, signal: ending, redirect: 'manual' }),
    );
    if (status === 401 || status === 403)
      return [
        apiKeyFindings.problem(
          `The service rejected the key from ${keySource}.`,
          'Pass a valid key with ROLLCALL_API_KEY or --api-key-file, or run the command in the folder of the service.',
        ),
      ];
    return [
      status === 200
        ? apiKeyFindings.ok(`The service accepted the key from ${keySource}.`)
        : apiKeyFindings.skipped(`The key could not be checked: the service returned ${status}.`),
    ];
  } catch {
    return [apiKeyFindings.skipped('The key could not be checked: the service does not respond.')];
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
  const body = parse(text);
  if (status === 200 && body?.data?.status === 'ready') return ok(`The service at ${baseUrl} is ready.`);
  const missing = body?.error?.missing;
  if (Array.isArray(missing))
    return problem(
      `The service at ${baseUrl} is not ready: ${missing.join(' ')}`,
      'Fix these problems. The log of the service has details.',
    );
  return problem(
    `The server at ${baseUrl} is not Rollcall, or a proxy responded (status ${status}).`,
    'Correct the URL: --url, ROLLCALL_URL, EXTERNAL_URL or PORT.',
  );
}

/** None if the service is too old to report its version. */
async function versionFindings(baseUrl: string, init: RequestInit): Promise<Finding[]> {
  try {
    const response = await fetch(`${baseUrl}/openapi.json`, init);
    const { info } = (await response.json()) as { info?: { version?: unknown } };
    if (!response.ok || typeof info?.version !== 'string') return [];
    const version = readVersion();
    return info.version === version
      ? [ok(`The service and this command line are both version ${version}.`)]
      : [
          warning(
            `The service is version ${info.version}, but this command line is version ${version}.`,
            'Use the command line of the same version.',
          ),
        ];
  } catch {
    return [];
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError') return 'no response in time';
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
