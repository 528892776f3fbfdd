import type { ComponentType } from 'preact';
import type { DirectoryWithHealth } from '../../../client/generated/types.ts';
import { isPulled } from '../../parts/words.ts';
import type { Scope } from '../../session.tsx';
import { AttributesTab } from './attributes-tab.tsx';
import { DeliveriesTab } from './deliveries-tab.tsx';
import { EventsTab } from './events-tab.tsx';
import { GroupsTab } from './groups-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { RequestsTab } from './requests-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { SyncsTab } from './syncs-tab.tsx';
import type { TabProps } from './tab-props.ts';
import { UsersTab } from './users-tab.tsx';

interface Tab {
  /** Its part of the path below the directory; empty for the first tab. */
  path: string;
  name: string;
  /** A session without it does not see the tab. */
  scope: Scope;
  page: ComponentType<TabProps>;
  /** Some directories have no use for it. */
  isFor?: (directory: DirectoryWithHealth) => boolean;
}

/** The tabs of a directory, in their order. To add one, write it beside these, and add it here. */
export const tabs: readonly Tab[] = [
  { path: '', name: 'Overview', scope: 'directories:read', page: OverviewTab },
  { path: 'users', name: 'Users', scope: 'people:read', page: UsersTab },
  { path: 'groups', name: 'Groups', scope: 'people:read', page: GroupsTab },
  { path: 'attributes', name: 'Attributes', scope: 'directories:read', page: AttributesTab },
  { path: 'roles', name: 'Roles', scope: 'directories:read', page: RolesTab },
  { path: 'events', name: 'Events', scope: 'events:read', page: EventsTab },
  { path: 'deliveries', name: 'Deliveries', scope: 'deliveries:read', page: DeliveriesTab },
  { path: 'requests', name: 'SCIM requests', scope: 'people:read', page: RequestsTab, isFor: ({ type }) => !isPulled(type) },
  { path: 'syncs', name: 'Syncs', scope: 'syncs:read', page: SyncsTab, isFor: ({ type }) => isPulled(type) },
  { path: 'settings', name: 'Settings', scope: 'directories:read', page: SettingsTab },
];
