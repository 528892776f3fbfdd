import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { StartupError } from '../errors.ts';

const host = '127.0.0.1';

/**
 * Finds a free port. Closing a connection from the listening side leaves the port in TIME_WAIT: the system does not assign it to another
 * process, but a server may still bind it explicitly.
 */
export async function findFreePort(): Promise<number> {
  const server = await listen(0);
  const { port } = server.address() as AddressInfo;
  server.on('connection', (socket) => socket.end());
  await new Promise<void>((resolve, reject) => {
    connect({ port, host }).on('end', resolve).on('error', reject).resume();
  });
  await close(server);
  return port;
}

export async function assertFreePort(port: number, server: string): Promise<void> {
  try {
    await close(await listen(port));
  } catch (error) {
    throw new StartupError(`Port ${port} is in use by another process: stop it, or choose another port for ${server}.`, { cause: error });
  }
}

export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
