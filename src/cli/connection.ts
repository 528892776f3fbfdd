import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressFile, findRunningAddress } from '../embedded/running-servers.ts';
import { CommandError, UsageError, exitCodes, type ErrorContext, type Unwrap, createUnwrap } from './errors.ts';
import { createClient, type Client } from '../client/index.ts';
import { createPrinter, type Printer } from './output/printer.ts';
import { loadEnvFile, type Shell } from './shell.ts';
import type { ExampleFor } from './options.ts';

/** What was typed. */
export interface ParsedCommand<Options> {
  args: string[];
  options: Options & ConnectionOptions & { json?: boolean; wide?: boolean };
  exampleFor: ExampleFor;
}

/** Everything that the action of a command works with. */
export interface Context<Options = object, Input = undefined> extends ParsedCommand<Options> {
  /** What `validate` returned. */
  input: Input;
  shell: Shell;
  print: Printer;
  client: Client;
  apiKey: string;
  unwrap: Unwrap;
  errorContext: ErrorContext;
}

export async function createContext<Options>(
  parsed: ParsedCommand<Options>,
  flags: string[],
  shell: Shell,
): Promise<Omit<Context<Options>, 'input'>> {
  loadEnvFile();
  const { baseUrl, apiKey, keySource } = await findConnection(parsed.options, shell.env);
  const errorContext = { flags, baseUrl, keySource, exampleFor: parsed.exampleFor };
  return {
    ...parsed,
    shell,
    print: createPrinter(shell),
    client: createClient({ baseUrl, apiKey }),
    apiKey,
    unwrap: createUnwrap(errorContext),
    errorContext,
  };
}

export interface Connection {
  baseUrl: string;
  apiKey: string;
  /** For people: where they were found. */
  urlSource: string;
  keySource: string;
}

export interface ConnectionOptions {
  url?: string;
  apiKey?: string;
  apiKeyFile?: string;
}

/** Options come first, then the environment, then the service that runs from this folder. */
export async function findConnection(options: ConnectionOptions, env: NodeJS.ProcessEnv): Promise<Connection> {
  const { baseUrl, urlSource } = await findUrl(options, env);
  const runsHere = urlSource === addressFile(dataDirOf(env));
  const mayUseFolder = runsHere || isOwnService(baseUrl, env);
  const key = (await findConfiguredKey(options, env)) ?? (mayUseFolder ? await findFolderKey(env) : undefined);
  if (!key)
    throw new CommandError(
      exitCodes.unauthorized,
      `No API key for ${baseUrl}. Set ROLLCALL_API_KEY, or pass a key file.${mayUseFolder ? ' If the service has another data folder, set ROLLCALL_DATA_DIR to it.' : ''} Example: --api-key-file .rollcall/api-key`,
    );
  if (!/^[\x21-\x7e]+$/.test(key.apiKey))
    throw new UsageError(
      `The API key from ${key.keySource} contains a space or another invalid character. Store the key alone in its file.`,
    );
  return { baseUrl, urlSource, ...key };
}

export async function findUrl({ url }: ConnectionOptions, env: NodeJS.ProcessEnv): Promise<{ baseUrl: string; urlSource: string }> {
  if (url !== undefined) return { baseUrl: readUrl(url, '--url'), urlSource: '--url' };
  for (const name of ['ROLLCALL_URL', 'EXTERNAL_URL']) {
    const value = env[name]?.trim();
    if (value) return { baseUrl: readUrl(value, name), urlSource: name };
  }
  const running = await findRunningAddress(dataDirOf(env));
  if (running !== undefined) return { baseUrl: running, urlSource: addressFile(dataDirOf(env)) };
  const port = env['PORT']?.trim();
  if (port && !(/^\d+$/.test(port) && Number(port) < 65_536))
    throw new UsageError(`PORT must be a port number, not "${port}". Example: PORT=5225`);
  return { baseUrl: `http://${hostOf(env)}:${port && port !== '0' ? Number(port) : 5225}`, urlSource: port ? 'PORT' : 'the default' };
}

const dataDirOf = (env: NodeJS.ProcessEnv) => env['ROLLCALL_DATA_DIR']?.trim() || '.rollcall';

function hostOf(env: NodeJS.ProcessEnv): string {
  const host = env['HOST']?.trim() ?? '';
  if (['', '0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function readUrl(text: string, name: string): string {
  const usable = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!usable) throw new UsageError(`${name} must be the URL of a service, not "${text}". Example: --url http://127.0.0.1:5225`);
  const { username, password } = new URL(text);
  if (username || password)
    throw new UsageError(`${name} must not contain a user name or password. Example: --url https://rollcall.example`);
  return text.replace(/[?#].*$/, '').replace(/\/+$/, '');
}

async function findConfiguredKey({ apiKey, apiKeyFile }: ConnectionOptions, env: NodeJS.ProcessEnv): Promise<Key | undefined> {
  if (apiKey !== undefined) return { apiKey: apiKey.trim(), keySource: '--api-key' };
  if (apiKeyFile !== undefined) {
    const text = await readFile(apiKeyFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`Cannot read --api-key-file ${apiKeyFile} (${error.code}). Example: --api-key-file .rollcall/api-key`);
    });
    if (text.trim() === '') throw new UsageError(`--api-key-file ${apiKeyFile} is empty. Example: --api-key-file .rollcall/api-key`);
    return { apiKey: text.trim(), keySource: apiKeyFile };
  }
  const fromEnv = env['ROLLCALL_API_KEY']?.trim();
  return fromEnv ? { apiKey: fromEnv, keySource: 'ROLLCALL_API_KEY' } : undefined;
}

interface Key {
  apiKey: string;
  keySource: string;
}

/** The API key of the service that runs from this folder. */
async function findFolderKey(env: NodeJS.ProcessEnv): Promise<Key | undefined> {
  const [first] = (env['API_KEYS'] ?? '').split(',').flatMap((key) => key.trim() || []);
  if (first !== undefined) return { apiKey: first, keySource: 'API_KEYS' };
  const file = join(dataDirOf(env), 'api-key');
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : { apiKey: text.trim(), keySource: file };
}

/** Keys found in this folder are never sent to another machine, whatever --url says. */
function isOwnService(baseUrl: string, env: NodeJS.ProcessEnv): boolean {
  const { hostname, origin } = new URL(baseUrl);
  const own = env['EXTERNAL_URL']?.trim() ?? '';
  return (
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) ||
    hostname === env['HOST']?.trim() ||
    (URL.canParse(own) && new URL(own).origin === origin)
  );
}
