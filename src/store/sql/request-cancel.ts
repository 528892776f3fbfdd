import pg from 'pg';

/** What of a connection Postgres wants to know before it cancels a statement. */
export interface CancellableConnection {
  host: string;
  port: number;
  ssl: pg.ConnectionConfig['ssl'];
  processID: number;
  secretKey: number;
}

/** The protocol's own messages, which the types of `pg` leave out. */
type WireConnection = pg.Connection & {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

const timeoutMs = 2_000;

/**
 * Asks Postgres over a connection of its own to cancel what the other one runs. Postgres closes that connection once it has sent the
 * signal, so a statement that is sent after this resolves is safe. False says that the request was sent and may still be on its way:
 * then the other connection must not be used again. Never rejects.
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
