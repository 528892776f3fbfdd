import { Agent, request } from 'node:http';
import type { TestDirectory } from './service.ts';

export interface Upload {
  /** Set when the response arrives. */
  status: number | undefined;
  retryAfter: string | undefined;
  body: unknown;
  finish(): void;
  leave(): void;
}

/** Sends the headers of a Bulk request of this size and a part of its body. */
export function beginUpload(baseUrl: string, { id, secret }: TestDirectory, { bytes, sent }: { bytes: number; sent: number }): Upload {
  const message = Buffer.from(
    JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations: [] }).padEnd(bytes),
  );
  const upload: Upload = {
    status: undefined,
    retryAfter: undefined,
    body: undefined,
    finish: () => void outgoing.end(message.subarray(sent)),
    leave: () => outgoing.destroy(),
  };
  const outgoing = request(`${baseUrl}/api/scim/v2.0/${id}/Bulk`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json', 'content-length': bytes },
  });
  outgoing.on('error', () => undefined);
  outgoing.on('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      Object.assign(upload, {
        status: response.statusCode,
        retryAfter: response.headers['retry-after'],
        body: JSON.parse(text) as unknown,
      });
    });
  });
  outgoing.write(message.subarray(0, sent));
  return upload;
}
