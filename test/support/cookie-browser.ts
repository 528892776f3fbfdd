interface Cookie {
  value: string;
  path: string;
}

interface SentRequest {
  method?: string;
  form?: Record<string, string>;
  json?: unknown;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal;
}

export interface Page {
  url: string;
  status: number;
  headers: Headers;
  text: string;
  /** Of the JSON API. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  location: string | undefined;
}

/** The error of a page, for a program. */
export async function readError(browser: CookieBrowser, url: string): Promise<[error: string, message: string]> {
  const { status, body } = await browser.send(url, { headers: { accept: 'application/json' } });
  return [`${status} ${body.error.code}`, body.error.message];
}

export type CookieBrowser = ReturnType<typeof createCookieBrowser>;

/**
 * Keeps the cookies of this machine by path, as a browser does, and follows redirects only on
 * request. What it sends comes from a page of `own`.
 */
export function createCookieBrowser(own: string) {
  const cookies = new Map<string, Cookie>();

  async function send(to: string, { method = 'GET', form, json, headers, signal }: SentRequest = {}): Promise<Page> {
    const url = new URL(to, own);
    const cookie = [...cookies]
      .filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const type = form ? 'application/x-www-form-urlencoded' : json === undefined ? undefined : 'application/json';
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      ...(signal && { signal }),
      headers: {
        accept: json === undefined && method === 'GET' ? 'text/html, application/json' : 'application/json, text/html',
        ...(method !== 'GET' && { origin: new URL(own).origin }),
        ...(cookie !== '' && { cookie }),
        ...(type && { 'content-type': type }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    for (const header of response.headers.getSetCookie()) keep(header, url);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const location = response.headers.get('location');
    return {
      url: url.href,
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      location: location === null ? undefined : new URL(location, url).href,
    };
  }

  function keep(header: string, url: URL): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(header)!;
    const path = /; *path=([^;]+)/i.exec(header)?.[1] ?? url.pathname.replace(/\/[^/]*$/, '/');
    const expires = /; *expires=([^;]+)/i.exec(header)?.[1];
    const isOver = /; *max-age=0(;|$)/i.test(header) || (expires !== undefined && Date.parse(expires) <= Date.now());
    if (isOver) cookies.delete(name!);
    else cookies.set(name!, { value: value!, path });
  }

  return {
    cookies,
    send,
    /** Follows redirects for as long as `goesOn`. */
    async follow(to: string, goesOn: (location: string) => boolean = () => true): Promise<Page> {
      let page = await send(to);
      for (let hops = 0; hops < 10 && page.location !== undefined && goesOn(page.location); hops += 1) page = await send(page.location);
      return page;
    },
    session: () => cookies.get('rollcall_session')?.value,
    api: (method: string, path: string, json?: unknown, headers?: Record<string, string>) => send(path, { method, json, headers }),
  };
}
