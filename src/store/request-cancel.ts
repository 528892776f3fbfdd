import pg from 'pg';

/** What of a connection Postgres wants to know before it cancels a statement. */
export interface CancellableConnection {
  host: string;
  port: number;
  ssl: pg.ConnectionConfig['ssl'];
  processID: number;
  secretKey: number;
  connection: { stream: { destroy(): void } };
}

/** The protocol's own messages, which the types of `pg` leave out. */
type WireConnection = pg.Connection & {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

const timeoutMs = 2_000;

/**
 * Asks Postgres over a connection of its own to cancel what the other one runs (section 54.2.8 of its manual). Postgres closes that
 * connection once it has sent the signal, so a statement that is sent after this resolves is safe. Never rejects: a request that fails
 * cancels nothing.
 */
export function requestCancel({ host, port, ssl, processID, secretKey }: CancellableConnection): Promise<void> {
  const wire = new pg.Connection({ ssl }) as WireConnection;
  return new Promise((resolve) => {
    const timer = setTimeout(end, timeoutMs);
    const cancel = () => wire.cancel(processID, secretKey);
    wire.on('error', end);
    wire.on('end', end);
    wire.on('connect', () => (ssl ? wire.requestSsl() : cancel()));
    wire.on('sslconnect', cancel);
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);

    function end() {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve();
    }
  });
}
