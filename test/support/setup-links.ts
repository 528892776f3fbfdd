import { randomUUID } from 'node:crypto';
import type { TestService } from './service.ts';

export const linksPath = '/api/v1/dsync/setuplinks';
export const webhook = { webhook_url: 'http://127.0.0.1:9/hooks', webhook_secret: 'a webhook secret of the link' };

export interface TestLink {
  id: string;
  token: string;
  url: string;
  tenant: string;
  product: string;
}

/** A setup link of a tenant of its own. */
export async function createLink(service: Pick<TestService, 'api'>, fields: object = {}): Promise<TestLink> {
  const owner = { tenant: `t-${randomUUID()}`, product: `p-${randomUUID()}` };
  const { status, body } = await service.api('POST', linksPath, { ...owner, ...webhook, ...fields });
  if (status !== 201) throw new Error(`The setup link was not created: ${status} ${JSON.stringify(body)}`);
  const { setupID: id, url, tenant, product } = body.data;
  return { id, url, token: url.split('/').at(-1), tenant, product };
}

/** A browser without JavaScript: it opens pages, and sends the forms on them. */
export function createPlainBrowser({ baseUrl }: Pick<TestService, 'baseUrl'>) {
  const send = async (address: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) => {
    const url = new URL(address, baseUrl);
    const response = await fetch(url.href, { redirect: 'manual', ...init, headers: { accept: 'text/html', ...init.headers } });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, url: url.href, location: response.headers.get('location') };
  };
  return {
    open: (address: string, headers: Record<string, string> = {}) => send(address, { headers }),
    /** Presses the button with this value. */
    press(page: { text: string }, value: string, headers: Record<string, string> = {}) {
      const forms = [...page.text.matchAll(/<form method="post" action="([^"]+)">(.*?)<\/form>/gs)];
      for (const [, action, inner] of forms) {
        const name = new RegExp(`<button[^>]* name="([^"]+)" value="${value}"`).exec(inner!)?.[1];
        if (name === undefined) continue;
        return send(action!.replaceAll('&amp;', '&'), {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
          body: new URLSearchParams({ [name]: value }).toString(),
        });
      }
      throw new Error(`The page has no button ${value}.`);
    },
  };
}

const unescape = (text: string) =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name]!);

/** The values that a page shows beside their names. */
export const valuesOf = ({ text }: { text: string }): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name, value]) => [
      unescape(name!.replaceAll(/<[^>]+>/g, '')),
      unescape(value!.replace(/<button.*$/s, '').replaceAll(/<[^>]+>/g, '')),
    ]),
  );
