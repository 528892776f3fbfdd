import { startChild } from './child.ts';
import { defaultPredecessorWaitMs, lockData } from './lock.ts';
import { acceptsConnections, freePort, requireFreePort } from './free-port.ts';
import { supervise, type Say, type Supervised } from './supervise.ts';

type SearchAttributeType = 'Text' | 'Keyword' | 'Int' | 'Double' | 'Bool' | 'Datetime' | 'KeywordList';

export interface EmbeddedTemporal extends Supervised {
  address: string;
  port: number;
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
  log?: Say;
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
    if (port !== undefined) await requireFreePort(port, 'Temporal');
    const chosen = port ?? (await freePort());
    const server = [command, ...serverArguments({ port: chosen, databaseFile, searchAttributes }), ...flags];
    const start = async (signal: AbortSignal) => {
      // An open port says that our server serves only if it was nobody's a moment ago.
      await requireFreePort(chosen, 'Temporal');
      const child = await startChild({ name: 'Temporal', command: server, isReady: () => acceptsConnections(chosen), signal });
      await lock?.record(child.pid);
      return child;
    };
    const supervised = await supervise({ name: 'Temporal', start, log });
    log(`Temporal is ready on port ${chosen}: process ${supervised.pid()}.`);
    return {
      address: `127.0.0.1:${chosen}`,
      port: chosen,
      pid: supervised.pid,
      stop: () => supervised.stop().finally(() => lock?.release()),
      kill: () => supervised.kill().finally(() => lock?.release()),
    };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

/** Its ports for metrics, HTTP and its own services it finds by itself: free ones, on the same address. */
function serverArguments({
  port,
  databaseFile,
  searchAttributes,
}: {
  port: number;
  databaseFile: string | undefined;
  searchAttributes: Readonly<Record<string, SearchAttributeType>>;
}): string[] {
  const where = ['--ip', '127.0.0.1', '--port', String(port)];
  const attributes = Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]);
  const pragmas = ['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'];
  const storage = databaseFile === undefined ? [] : ['--db-filename', databaseFile, ...pragmas];
  return ['server', 'start-dev', '--headless', '--log-level', 'warn', ...where, ...attributes, ...storage];
}
