import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressFile, findRunningAddress } from '../embedded/running-address.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandError, UsageError } from './failures.ts';

export interface Connection {
  baseUrl: string;
  apiKey: string;
  /** In words: where they were found. */
  urlFrom: string;
  keyFrom: string;
}

interface Given {
  url?: string;
  apiKey?: string;
  apiKeyFile?: string;
}

/** Which service is meant, and what opens it. What was typed goes first, then the environment, then what lies in this folder. */
export async function findConnection(given: Given, env: NodeJS.ProcessEnv): Promise<Connection> {
  const { baseUrl, urlFrom } = await findAddress(given, env);
  const runsHere = urlFrom === addressFile(dataDirOf(env));
  const key = (await findGivenKey(given, env)) ?? (runsHere || isOurs(baseUrl, env) ? await findLocalKey(env) : undefined);
  if (!key)
    throw new CommandError(
      exitCodes.notAuthorised,
      `There is no API key for ${baseUrl}: set ROLLCALL_API_KEY, or name a file that has it. Example: --api-key-file .rollcall/api-key`,
    );
  if (!/^[\x21-\x7e]+$/.test(key.apiKey))
    throw new UsageError(
      `The API key from ${key.keyFrom} has a space or another sign in it that no key has: write it down again, alone in its file.`,
    );
  return { baseUrl, urlFrom, ...key };
}

export async function findAddress({ url }: Given, env: NodeJS.ProcessEnv): Promise<{ baseUrl: string; urlFrom: string }> {
  if (url !== undefined) return { baseUrl: readAddress(url, '--url'), urlFrom: '--url' };
  for (const name of ['ROLLCALL_URL', 'EXTERNAL_URL']) {
    const value = env[name]?.trim();
    if (value) return { baseUrl: readAddress(value, name), urlFrom: name };
  }
  const running = await findRunningAddress(dataDirOf(env));
  if (running !== undefined) return { baseUrl: running, urlFrom: addressFile(dataDirOf(env)) };
  const port = env['PORT']?.trim();
  if (port && !(/^\d+$/.test(port) && Number(port) < 65_536))
    throw new UsageError(`PORT must be a port number, not “${port}”. Example: PORT=5225`);
  return { baseUrl: `http://${hostOf(env)}:${port && port !== '0' ? Number(port) : 5225}`, urlFrom: port ? 'PORT' : 'the default' };
}

const dataDirOf = (env: NodeJS.ProcessEnv) => env['ROLLCALL_DATA_DIR']?.trim() || '.rollcall';

function hostOf(env: NodeJS.ProcessEnv): string {
  const host = env['HOST']?.trim() ?? '';
  if (['', '0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function readAddress(text: string, name: string): string {
  const usable = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!usable) throw new UsageError(`${name} must be the address of a service, not “${text}”. Example: --url http://127.0.0.1:5225`);
  const { username, password } = new URL(text);
  if (username || password)
    throw new UsageError(`${name} must have no user name or password in it. Example: --url https://rollcall.example`);
  return text.replace(/[?#].*$/, '').replace(/\/+$/, '');
}

async function findGivenKey({ apiKey, apiKeyFile }: Given, env: NodeJS.ProcessEnv): Promise<Key | undefined> {
  if (apiKey !== undefined) return { apiKey: apiKey.trim(), keyFrom: '--api-key' };
  if (apiKeyFile !== undefined) {
    const text = await readFile(apiKeyFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`--api-key-file ${apiKeyFile} can't be read (${error.code}). Example: --api-key-file .rollcall/api-key`);
    });
    if (text.trim() === '') throw new UsageError(`--api-key-file ${apiKeyFile} is empty. Example: --api-key-file .rollcall/api-key`);
    return { apiKey: text.trim(), keyFrom: apiKeyFile };
  }
  const fromEnv = env['ROLLCALL_API_KEY']?.trim();
  return fromEnv ? { apiKey: fromEnv, keyFrom: 'ROLLCALL_API_KEY' } : undefined;
}

interface Key {
  apiKey: string;
  keyFrom: string;
}

/** The keys of the service that is run from this folder. */
async function findLocalKey(env: NodeJS.ProcessEnv): Promise<Key | undefined> {
  const [first] = (env['API_KEYS'] ?? '').split(',').flatMap((key) => key.trim() || []);
  if (first !== undefined) return { apiKey: first, keyFrom: 'API_KEYS' };
  const file = join(dataDirOf(env), 'api-key');
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : { apiKey: text.trim(), keyFrom: file };
}

/** Its keys go to no other machine, whatever address is typed. */
function isOurs(baseUrl: string, env: NodeJS.ProcessEnv): boolean {
  const { hostname, origin } = new URL(baseUrl);
  const own = env['EXTERNAL_URL']?.trim() ?? '';
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) ||
    hostname === env['HOST']?.trim() ||
    (URL.canParse(own) && new URL(own).origin === origin)
  );
}
