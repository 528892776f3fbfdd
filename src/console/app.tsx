import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../client/generated/types.ts';
import { goToSignIn, isSignedOut, takeReturnAddress, useRead } from './api.ts';
import { AccountPage } from './pages/account.tsx';
import { PageHead } from './parts/page.tsx';
import { Empty, Failed, Loading } from './parts/states.tsx';
import { Toasts } from './parts/toasts.tsx';
import { hrefOf, matchPath, navigate, useLocation } from './router.ts';
import { type Route, routes } from './routes.ts';
import { readSession, SessionContext, signOut } from './session.tsx';
import { applyTheme, nextTheme, readTheme } from './theme.ts';

export function App() {
  const { value, error, reload } = useRead(readSession, []);
  useEffect(() => {
    const address = value && takeReturnAddress();
    if (address !== undefined) navigate(address, { replaces: true });
  }, [value]);
  if (isSignedOut(error)) goToSignIn();
  if (error) return <Failed error={error} retry={reload} />;
  if (!value) return <Loading />;
  return (
    <SessionContext.Provider value={value.data}>
      <Layout session={value.data} />
    </SessionContext.Provider>
  );
}

function Layout({ session }: { session: Session }) {
  const { path, query, by } = useLocation();
  const cursor = query.get('cursor');
  const may = ({ scope, also, isFor }: Route) =>
    [scope, also].every((one) => one === undefined || session.scopes.includes(one)) && (isFor?.(session) ?? true);
  const visible = routes.filter(may);
  const main = useRef<HTMLElement>(null);
  const former = useRef(path);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // As after loading a page: the keyboard continues there, and screen readers read it. Whoever changes a filter stays in it, and the browser
    // itself scrolls to where somebody goes back to.
    const isFiltered = by === 'replacement' && path === former.current;
    if (!isFirst.current && !isFiltered) {
      if (by !== 'history') window.scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    isFirst.current = false;
    former.current = path;
  }, [path, cursor]);
  return (
    <div class="layout">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="side">
        <a class="brand" href={hrefOf('/')}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <rect width="16" height="16" rx="4" />
            <path d="M4 8.5l2.7 2.7L12 5.5" />
          </svg>
          Rollcall
        </a>
        <nav aria-label="Main">
          <ul>
            {visible.map(({ path: to, nav }) =>
              nav === undefined ? null : (
                <li key={to}>
                  <a href={hrefOf(to)} aria-current={isWithin(path, to) ? 'page' : undefined}>
                    {nav}
                  </a>
                </li>
              ),
            )}
          </ul>
        </nav>
        <Account session={session} />
      </header>
      <main ref={main} id="main" tabIndex={-1}>
        <Page routes={visible} path={path} />
      </main>
      <Toasts />
    </div>
  );
}

const isWithin = (path: string, to: string) => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`));

function Page({ routes: visible, path }: { routes: readonly Route[]; path: string }) {
  for (const { path: pattern, page: Found } of visible) {
    const params = matchPath(pattern, path);
    if (params) return <Found key={pattern} params={params} />;
  }
  // Somebody who may not see the overview.
  if (path === '/') return <AccountPage />;
  return (
    <>
      <PageHead title="Not found" />
      <div class="card">
        <Empty title="This page does not exist, or you may not see it">
          <a class="button" href={hrefOf('/')}>
            Overview
          </a>
        </Empty>
      </div>
    </>
  );
}

function Account({ session }: { session: Session }) {
  const [theme, setTheme] = useState(readTheme);
  const change = () => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <div class="account">
      <div class="account-name">
        <a href={hrefOf('/account')}>
          <strong title={session.actor.name}>{session.actor.name}</strong>
        </a>
        <span class="soft">{session.role ?? (session.actor.type === 'root_key' ? 'root key' : 'API key')}</span>
      </div>
      <div class="account-actions">
        <button type="button" class="button small" onClick={change}>
          <span class="prefix">Theme: </span>
          {theme === 'system' ? 'auto' : theme}
        </button>
        <button type="button" class="button small" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </div>
  );
}
