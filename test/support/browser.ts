/** Keeps the cookies of one site, and follows redirects only on request. */
export function createBrowser() {
  const cookies = new Map<string, string>();
  const open = async (url: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8') => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { accept, ...(cookie !== '' && { cookie }) } });
    for (const header of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(header)!;
      cookies.set(name!, value!);
    }
    const text = await response.text();
    const href = /<a href="([^"]+)">/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    return {
      status: response.status,
      headers: response.headers,
      text,
      error: text.startsWith('{') ? JSON.parse(text).error : undefined,
      location: response.headers.get('location') ?? undefined,
      /** The target of the link on the page. */
      link: href === undefined ? undefined : new URL(href, url).href,
    };
  };
  return {
    cookies,
    open,
    /** Follows the link on the page, if there is one. */
    async openAndContinue(url: string, accept?: string) {
      const page = await open(url, accept);
      return page.link === undefined ? page : open(page.link, accept);
    },
  };
}
