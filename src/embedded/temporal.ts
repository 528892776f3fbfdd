import { startChild } from './child.ts';
import { defaultPredecessorWaitMs, lockData } from './lock.ts';
import { acceptsConnections, freePort, assertFreePort } from './free-port.ts';
import { supervise, type ServerLog, type Supervised } from './supervise.ts';

type SearchAttributeType = 'Text' | 'Keyword' | 'Int' | 'Double' | 'Bool' | 'Datetime' | 'KeywordList';

export interface EmbeddedTemporal extends Supervised {
  address: string;
  port: number;
  /** All that are known: of gRPC, of its HTTP API and of its metrics. */
  ports: number[];
}

export interface EmbeddedTemporalOptions {
  /** The `temporal` binary. */
  command: string;
  /** Without one everything is forgotten at the end. */
  databaseFile?: string;
  port?: number;
  searchAttributes: Readonly<Record<string, SearchAttributeType>>;
  predecessorWaitMs?: number;
  /** For its server, besides. */
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
    const chosen = port ?? (await freePort());
    const [httpPort, metricsPort] = [await freePort(), await freePort()];
    const server = [command, ...serverArguments({ port: chosen, httpPort, metricsPort, databaseFile, searchAttributes }), ...flags];
    const start = async (signal: AbortSignal) => {
      // An open port says that our server serves only if it was nobody's a moment ago.
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
 * Its HTTP API can't be turned off. A web page could reach it, and choose the Host header by a name of its own; so it accepts only a host
 * that there is not. Metrics can't be turned off either. Ports between its own services it finds by itself: free ones, on the same address.
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
