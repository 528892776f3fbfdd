import pg from 'pg';

/** What Postgres needs to know about a connection to cancel its statement. */
export interface CancellableConnection {
  host: string;
  port: number;
  ssl: pg.ConnectionConfig['ssl'];
  processID: number;
  secretKey: number;
}

/** Protocol messages that the types of `pg` omit. */
type WireConnection = pg.Connection & {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

const timeoutMs = 2_000;

/**
 * Asks Postgres, over a new connection, to cancel the statement of another connection. Postgres closes the new connection after it has sent
 * the signal, so statements sent after this resolves are safe. Resolves with false if the request was sent and may still arrive later: then
 * the other connection must not be used again. Never rejects.
 */
export function requestCancel({ host, port, ssl, processID, secretKey }: CancellableConnection): Promise<boolean> {
  const wire = new pg.Connection({ ssl }) as WireConnection;
  let isSent = false;
  return new Promise((resolve) => {
    const end = (isOver: boolean) => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve(isOver);
    };
    const timer = setTimeout(() => end(!isSent), timeoutMs);
    const cancel = () => {
      isSent = true;
      wire.cancel(processID, secretKey);
    };
    wire.on('error', () => end(!isSent));
    wire.on('end', () => end(true));
    wire.on('connect', () => (ssl ? wire.requestSsl() : cancel()));
    wire.on('sslconnect', cancel);
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}
