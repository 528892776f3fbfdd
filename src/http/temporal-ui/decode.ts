import type { Context } from 'koa';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { ReadPayloads } from '../../temporal/read-payloads.ts';
import { signalOf } from '../server/caller-connection.ts';
import { assertOwnOrigin } from '../server/own-origin.ts';
import { receiveBody } from '../server/body/receive-body.ts';

const maxBytes = 16_000_000;
const maxPayloads = 2_000;

/** Bytes are in base64, as in the JSON of Temporal's protocol. */
const payloadsSchema = z.object({
  payloads: z.array(z.object({ metadata: z.record(z.string(), z.base64()).optional(), data: z.base64().optional() })).max(maxPayloads),
});

/** The UI has no proxy in front of it, and the Host header was checked. */
export const originOf = (ctx: Context): string => `http://${ctx.get('host')}`;

const toBytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The remote codec of Temporal's UI: https://docs.temporal.io/remote-data-encoding. It answers only this UI itself. */
export function createDecode(readPayloads: ReadPayloads) {
  return async function decode(ctx: Context): Promise<void> {
    assertOwnOrigin(ctx, originOf(ctx));
    const { payloads } = parse(await readText(ctx));
    const workflowId = findWorkflowId(ctx.get('referer'), originOf(ctx));
    const sealed = payloads.map(({ metadata = {}, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, toBytes(value)])),
      ...(data !== undefined && { data: toBytes(data) }),
    }));
    const opened = workflowId === undefined ? sealed : await readPayloads(workflowId, sealed, signalOf(ctx));
    ctx.body = {
      payloads: opened.map(({ metadata, data }) => ({
        metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, toText(value)])),
        ...(data && { data: toText(data) }),
      })),
    };
  };
}

async function readText(ctx: Context): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await receiveBody(ctx.req, (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AppError('payload_too_large', `The body has more than ${maxBytes} bytes (fixed limit).`);
    chunks.push(chunk);
    return undefined;
  });
  return Buffer.concat(chunks).toString();
}

function parse(text: string): z.output<typeof payloadsSchema> {
  try {
    return payloadsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError('invalid_request', `The body must be JSON with at most ${maxPayloads} payloads.`, { cause });
  }
}

/** Of the page that asks: `/namespaces/default/workflows/deliver%3A…/<run>/history`. */
function findWorkflowId(referrer: string, origin: string): string | undefined {
  const [, path] = referrer.split(origin);
  const found = /^\/namespaces\/[^/]+\/workflows\/([^/?#]+)/.exec(path ?? '')?.[1];
  try {
    return found && decodeURIComponent(decodeURIComponent(found));
  } catch {
    return undefined;
  }
}
