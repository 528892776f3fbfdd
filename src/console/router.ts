import { useEffect, useState } from 'preact/hooks';

/** The path under which the service is seen, such as `/rollcall` behind a proxy; usually empty. */
export const base = document.documentElement.dataset['base'] ?? '';
const root = `${base}/console`;

export interface Location {
  /** Below `/console`, as it is in the address; `/` for the first page. */
  path: string;
  query: URLSearchParams;
  /** How somebody came here. */
  by: 'link' | 'replacement' | 'history';
}

let by: Location['by'] = 'link';

/** The address of a page of the console, from its path and query. */
export const hrefOf = (path: string, query: Record<string, string | undefined> = {}): string => {
  const search = new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])).toString();
  return `${root}${path === '/' ? '' : path}${search === '' ? '' : `?${search}`}`;
};

const read = (): Location => ({
  path: window.location.pathname.slice(root.length).replace(/\/+$/, '') || '/',
  query: new URLSearchParams(window.location.search),
  by,
});

/** A segment of a path. It may have any character, also a slash. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const listeners = new Set<() => void>();
const notify = () => {
  for (const listener of listeners) listener();
};

export function navigate(href: string, { replaces = false } = {}): void {
  by = replaces ? 'replacement' : 'link';
  window.history[replaces ? 'replaceState' : 'pushState'](null, '', href);
  notify();
}

export function useLocation(): Location {
  const [location, setLocation] = useState(read);
  useEffect(() => {
    const update = () => setLocation(read());
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
  return location;
}

/** Changes filters in the address, so that a view can be shared. A filter begins at the first page. */
export function setQuery(change: Record<string, string | undefined>): void {
  const query = new URLSearchParams(window.location.search);
  query.delete('cursor');
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const search = query.toString();
  navigate(`${window.location.pathname}${search === '' ? '' : `?${search}`}`, { replaces: true });
}

/** The pages that the service renders itself. */
const rendered = ['/sign-in', '/sign-out', '/login', '/callback', '/assets'].map((path) => `${root}${path}`);

/** Follows links within the console without loading it again. Others, and those opened in another tab, are left to the browser. */
export function followLinks(): void {
  window.addEventListener('popstate', () => {
    by = 'history';
    notify();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest('a');
    if (!link || link.target !== '' || link.hasAttribute('download') || link.origin !== window.location.origin) return;
    const isOwn = link.pathname === root || link.pathname.startsWith(`${root}/`);
    if (!isOwn || rendered.some((path) => link.pathname.startsWith(path)) || link.hash !== '') return;
    event.preventDefault();
    navigate(link.href);
  });
}

/** `/directories/:id/*rest` matches `/directories/1/users/2` with `id`, which is decoded, and `rest`, whose segments are not. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const rests = new Set([...pattern.matchAll(/\*(\w+)/g)].map(([, name]) => name));
  const source = pattern.replaceAll(/\/\*(\w+)/g, '(?:/(?<$1>.*))?').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
  const match = new RegExp(`^${source}$`).exec(path);
  if (!match) return undefined;
  return Object.fromEntries(
    Object.entries(match.groups ?? {}).map(([name, value]) => [name, rests.has(name) ? value : decodeSegment(value)]),
  );
}
