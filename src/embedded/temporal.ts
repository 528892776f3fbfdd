import { randomBytes } from 'node:crypto';
import { startChild } from './child.ts';
import { defaultPredecessorWaitMs, lockDataFolder } from './lock-data-folder.ts';
import { acceptsConnections, findFreePort, assertFreePort } from './free-port.ts';
import { findDatabaseFault } from './temporal-database.ts';
import { supervise, type ServerLog, type Supervised } from './supervise.ts';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { StartupError } from '../errors.ts';

type SearchAttributeType = 'Text' | 'Keyword' | 'Int' | 'Double' | 'Bool' | 'Datetime' | 'KeywordList';

export interface EmbeddedTemporal extends Supervised {
  address: string;
  port: number;
  /** The known ports: gRPC, the HTTP API and metrics. */
  ports: number[];
  /** Where its UI listens, without authentication. */
  uiAddress: string | undefined;
}

export interface EmbeddedTemporalOptions {
  command: string;
  databaseFile: string;
  port?: number;
  searchAttributes: Readonly<Record<string, SearchAttributeType>>;
  predecessorWaitMs?: number;
  /** Whether to run the UI. */
  hasUi?: boolean;
  /** Further arguments for the server. */
  flags?: string[];
  log?: ServerLog;
}

export async function startTemporal({
  command,
  databaseFile,
  port,
  searchAttributes,
  predecessorWaitMs = defaultPredecessorWaitMs,
  hasUi = false,
  flags = [],
  log = () => undefined,
}: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> {
  const lock = await lockDataFolder({ file: `${databaseFile}.lock`, data: databaseFile, predecessorWaitMs, log });
  try {
    if (port !== undefined) await assertFreePort(port, 'Temporal');
    const chosen = port ?? (await findFreePort());
    const [httpPort, metricsPort] = [await findFreePort(), await findFreePort()];
    const ui = hasUi && process.platform === 'linux' ? { host: randomLoopbackAddress(), port: await findFreePort() } : undefined;
    const server = [command, ...serverArguments({ port: chosen, httpPort, metricsPort, ui, databaseFile, searchAttributes }), ...flags];
    const start = async (signal: AbortSignal) => {
      // An open port only shows that our server is ready if no other process has just used it.
      await assertFreePort(chosen, 'Temporal');
      const child = await startChild({ name: 'Temporal', command: server, isReady: () => acceptsConnections(chosen), signal });
      await lock.record(child.pid);
      return child;
    };
    const address = `127.0.0.1:${chosen}`;
    const supervised = await supervise({ name: 'Temporal', start, findFault: () => findDatabaseFault(address), log });
    log(`Temporal is ready on port ${chosen}: process ${supervised.pid()}.`);
    return {
      address,
      port: chosen,
      ports: [chosen, httpPort, metricsPort],
      uiAddress: ui && `http://${ui.host}:${ui.port}`,
      pid: supervised.pid,
      stop: () => supervised.stop().finally(() => lock.release()),
      kill: () => supervised.kill().finally(() => lock.release()),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * The UI lets everybody in who reaches it, and a web page could reach it by a domain name of its own that leads to this machine. It cannot guess
 * one of 16 million addresses. Only Linux has them all without being told.
 */
const randomLoopbackAddress = () => `127.${[...randomBytes(3)].map((byte) => Math.max(1, Math.min(byte, 254))).join('.')}`;

/**
 * A timer may fire late by up to `timerProcessorMaxTimeShift`, which is a second by default. Retries of deliveries wait for such timers.
 *
 * Temporal's HTTP API cannot be turned off. A web page could reach it and choose the Host header by its own domain name, so only a host
 * that does not exist is allowed. Metrics cannot be turned off either. Temporal finds free ports between its own services itself, on the
 * same address.
 */
function serverArguments({
  port,
  httpPort,
  metricsPort,
  ui,
  databaseFile,
  searchAttributes,
}: {
  port: number;
  httpPort: number;
  metricsPort: number;
  ui: { host: string; port: number } | undefined;
  databaseFile: string;
  searchAttributes: Readonly<Record<string, SearchAttributeType>>;
}): string[] {
  const ports = ['--port', String(port), '--http-port', String(httpPort), '--metrics-port', String(metricsPort)];
  const settings = ['frontend.httpAllowedHosts=["closed.invalid"]', 'history.timerProcessorMaxTimeShift="50ms"'];
  const where = ['--ip', '127.0.0.1', ...ports, ...settings.flatMap((setting) => ['--dynamic-config-value', setting])];
  const attributes = Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]);
  const storage = ['--db-filename', databaseFile, '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'];
  const shown = ui ? ['--ui-ip', ui.host, '--ui-port', String(ui.port)] : ['--headless'];
  return ['server', 'start-dev', ...shown, '--log-level', 'warn', ...where, ...attributes, ...storage];
}

interface TemporalSearch {
  /** TEMPORAL_BINARY. If set, nothing is searched. */
  binary?: string | undefined;
  path?: string | undefined;
  /** The root of the repository: `npm start` keeps the binary it downloads or builds in `.rollcall/bin` below it. */
  root: string;
}

export async function findTemporal({ binary, path, root }: TemporalSearch): Promise<string> {
  if (binary) return assertExecutable(binary);
  const folders = (path ?? '').split(delimiter).filter(Boolean);
  for (const folder of [...folders, join(root, '.rollcall/bin')]) {
    const candidate = join(folder, 'temporal');
    if (await isExecutable(candidate)) return candidate;
  }
  throw new StartupError(
    'No Temporal server found: install the temporal CLI, or install Go and run `npm start` again to build it, or set TEMPORAL_ADDRESS to your own server.',
  );
}

async function assertExecutable(binary: string): Promise<string> {
  if (await isExecutable(binary)) return binary;
  const exists = await stat(binary).then(
    (found) => found.isFile(),
    () => false,
  );
  throw new StartupError(
    exists
      ? `TEMPORAL_BINARY ${binary} is not executable: run \`chmod +x\` on it, or unset TEMPORAL_BINARY.`
      : `TEMPORAL_BINARY ${binary} is not a file: set it to the path of the temporal CLI, or unset it.`,
  );
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
