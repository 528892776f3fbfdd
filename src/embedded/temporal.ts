import { startChild } from './child.ts';
import { defaultPredecessorWaitMs, lockData } from './lock.ts';
import { acceptsConnections, findFreePort, assertFreePort } from './free-port.ts';
import { supervise, type ServerLog, type Supervised } from './supervise.ts';

type SearchAttributeType = 'Text' | 'Keyword' | 'Int' | 'Double' | 'Bool' | 'Datetime' | 'KeywordList';

export interface EmbeddedTemporal extends Supervised {
  address: string;
  port: number;
  /** The known ports: gRPC, the HTTP API and metrics. */
  ports: number[];
}

export interface EmbeddedTemporalOptions {
  command: string;
  /** Without a file, everything is lost at the end. */
  databaseFile?: string;
  port?: number;
  searchAttributes: Readonly<Record<string, SearchAttributeType>>;
  predecessorWaitMs?: number;
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
  flags = [],
  log = () => undefined,
}: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> {
  const lock =
    databaseFile === undefined ? undefined : await lockData({ file: `${databaseFile}.lock`, data: databaseFile, predecessorWaitMs, log });
  try {
    if (port !== undefined) await assertFreePort(port, 'Temporal');
    const chosen = port ?? (await findFreePort());
    const [httpPort, metricsPort] = [await findFreePort(), await findFreePort()];
    const server = [command, ...serverArguments({ port: chosen, httpPort, metricsPort, databaseFile, searchAttributes }), ...flags];
    const start = async (signal: AbortSignal) => {
      // An open port only shows that our server is ready if no other process has just used it.
      await assertFreePort(chosen, 'Temporal');
      const child = await startChild({ name: 'Temporal', command: server, isReady: () => acceptsConnections(chosen), signal });
      await lock?.record(child.pid);
      return child;
    };
    const supervised = await supervise({ name: 'Temporal', start, log });
    log(`Temporal is ready on port ${chosen}: process ${supervised.pid()}.`);
    return {
      address: `127.0.0.1:${chosen}`,
      port: chosen,
      ports: [chosen, httpPort, metricsPort],
      pid: supervised.pid,
      stop: () => supervised.stop().finally(() => lock?.release()),
      kill: () => supervised.kill().finally(() => lock?.release()),
    };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

/**
 * Temporal's HTTP API cannot be turned off. A web page could reach it and choose the Host header by its own domain name, so only a host
 * that does not exist is allowed. Metrics cannot be turned off either. Temporal finds free ports between its own services itself, on the
 * same address.
 */
function serverArguments({
  port,
  httpPort,
  metricsPort,
  databaseFile,
  searchAttributes,
}: {
  port: number;
  httpPort: number;
  metricsPort: number;
  databaseFile: string | undefined;
  searchAttributes: Readonly<Record<string, SearchAttributeType>>;
}): string[] {
  const ports = ['--port', String(port), '--http-port', String(httpPort), '--metrics-port', String(metricsPort)];
  const where = ['--ip', '127.0.0.1', ...ports, '--dynamic-config-value', 'frontend.httpAllowedHosts=["closed.invalid"]'];
  const attributes = Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]);
  const pragmas = ['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'];
  const storage = databaseFile === undefined ? [] : ['--db-filename', databaseFile, ...pragmas];
  return ['server', 'start-dev', '--headless', '--log-level', 'warn', ...where, ...attributes, ...storage];
}
