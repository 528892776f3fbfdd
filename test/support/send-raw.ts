import { once } from 'node:events';
import { connect } from 'node:net';

interface RawResponse {
  status: number;
  head: string;
  body: { detail: string; error: { code: string; message: string } };
}

/** The response to these bytes, once the service has closed the connection. */
export async function sendRaw(baseUrl: string, text: string): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  let response = '';
  socket.on('data', (chunk: Buffer) => (response += chunk.toString()));
  socket.write(text);
  await once(socket, 'end');
  socket.destroy();
  const [head = '', body = ''] = response.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1]), head, body: JSON.parse(body) as RawResponse['body'] };
}
