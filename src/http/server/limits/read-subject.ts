import type { Context } from 'koa';
import { receive } from '../body/receive.ts';

const maxBytes = 65_536;

/** The account that a request recovers: the email address in its body, if the gateway forwards it, or the flow in its query. */
export async function readSubject(ctx: Context, uri: string): Promise<string | undefined> {
  return (await readEmail(ctx)) ?? new URLSearchParams(/\?([^#]*)/.exec(uri)?.[1]).get('flow') ?? undefined;
}

async function readEmail(ctx: Context): Promise<string | undefined> {
  const type = ctx.is('application/json', 'application/x-www-form-urlencoded');
  if (!type || ctx.request.length > maxBytes) return undefined;
  const text = await readText(ctx);
  if (text === undefined) return undefined;
  if (type !== 'application/json') return new URLSearchParams(text).get('email') ?? undefined;
  try {
    const { email } = JSON.parse(text) as { email?: unknown };
    return typeof email === 'string' ? email : undefined;
  } catch {
    return undefined;
  }
}

async function readText(ctx: Context): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await receive(ctx.req, (chunk) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    return undefined;
  });
  return bytes > maxBytes ? undefined : Buffer.concat(chunks).toString();
}
