import type { ComponentType } from 'preact';
import { AccountPage } from './pages/account.tsx';
import { ApiKeysPage } from './pages/api-keys.tsx';
import { AuditLogPage } from './pages/audit-log.tsx';
import { DeliveriesPage } from './pages/deliveries.tsx';
import { DirectoriesPage } from './pages/directories.tsx';
import { DirectoryPage } from './pages/directory/directory.tsx';
import { NewApiKeyPage } from './pages/new-api-key.tsx';
import { NewDirectoryPage } from './pages/new-directory.tsx';
import { NewSetupLinkPage } from './pages/new-setup-link.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { SetupLinksPage } from './pages/setup-links.tsx';
import type { Session } from '../client/generated/types.ts';
import { mayCreateDirectories, type Scope } from './session.tsx';

export interface Route {
  /** Below `/console`; `:id` and `*rest` are given to the page. The first route that matches is used. */
  path: string;
  /** A session without it does not see the page, nor its link. Without a scope, everybody who has signed in does. */
  scope?: Scope;
  /** Another one without which it is of no use. */
  also?: Scope;
  /** Some sessions have no use for it. */
  isFor?: (session: Session) => boolean;
  page: ComponentType<{ params: Record<string, string> }>;
  /** Its name in the navigation, if it is there. */
  nav?: string;
}

/**
 * All pages. To add one, write it in `pages/`, and add it here with the scope that it reads with. With `nav` it is in the navigation, in this
 * order. A tab of a directory is added in `pages/directory/tabs.ts` instead.
 */
export const routes: readonly Route[] = [
  { path: '/', scope: 'directories:read', page: OverviewPage, nav: 'Overview' },
  { path: '/directories', scope: 'directories:read', page: DirectoriesPage, nav: 'Directories' },
  { path: '/directories/new', scope: 'directories:write', isFor: mayCreateDirectories, page: NewDirectoryPage },
  { path: '/directories/:id/*rest', scope: 'directories:read', page: DirectoryPage },
  { path: '/deliveries', scope: 'deliveries:read', also: 'directories:read', page: DeliveriesPage, nav: 'Deliveries' },
  { path: '/setup-links', scope: 'setup_links:write', page: SetupLinksPage, nav: 'Setup links' },
  { path: '/setup-links/new', scope: 'setup_links:write', also: 'directories:write', isFor: mayCreateDirectories, page: NewSetupLinkPage },
  { path: '/api-keys', scope: 'keys:write', page: ApiKeysPage, nav: 'API keys' },
  { path: '/api-keys/new', scope: 'keys:write', page: NewApiKeyPage },
  { path: '/audit-log', scope: 'audit:read', page: AuditLogPage, nav: 'Audit log' },
  { path: '/account', page: AccountPage },
];
