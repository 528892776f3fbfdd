import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export interface HostileReceiver {
  url: string;
  requests: string[];
  connections: number;
  close(): Promise<void>;
}

/** Writes to the socket, so that it can violate HTTP. Called once for each complete request. */
export type Misbehave = (socket: Socket, count: number, request: string) => void;

export const startHostileReceiver = (misbehave: Misbehave, host?: string) => start(createServer(), 'http', misbehave, host);

/** Its certificate is for `localhost`, and self-signed. */
export const startTlsReceiver = (misbehave: Misbehave, identity: TlsOptions = createIdentity()) =>
  start(createTlsServer(identity), 'https', misbehave);

async function start(server: Server, protocol: 'http' | 'https', misbehave: Misbehave, host = '127.0.0.1'): Promise<HostileReceiver> {
  const sockets = new Set<Socket>();
  const receiver: HostileReceiver = {
    url: '',
    requests: [],
    connections: 0,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    receiver.connections += 1;
  });
  server.on(protocol === 'https' ? 'secureConnection' : 'connection', (socket: Socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const [head = '', body] = text.split('\r\n\r\n');
      if (body === undefined || body.length < Number(/content-length: (\d+)/.exec(head)?.[1])) return;
      const request = text;
      receiver.requests.push(request);
      text = '';
      misbehave(socket, receiver.requests.length, request);
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, host);
  await once(server, 'listening');
  receiver.url = `${protocol}://${protocol === 'https' ? 'localhost' : '127.0.0.1'}:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
};
const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const text = (tag: number, content: string) => der(tag, Buffer.from(content));

/** A key and a certificate (RFC 5280) that it signed itself, valid from 2020 to the given year. */
export function createIdentity(untilYear = 2049, host = 'localhost', type: 'ec' | 'rsa' = 'ec'): { key: string; cert: string } {
  const { privateKey, publicKey } =
    type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const algorithm = type === 'ec' ? sequence(oid('2a8648ce3d040302')) : sequence(oid('2a864886f70d01010b'), der(0x05));
  const name = sequence(der(0x31, sequence(oid('550403'), text(0x0c, host))));
  const validity = sequence(text(0x17, '200101000000Z'), text(0x17, `${untilYear - 2000}0101000000Z`));
  const subjectAltName = sequence(oid('551d11'), der(0x04, sequence(text(0x82, host))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAltName)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const certificate = sequence(toBeSigned, algorithm, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}
