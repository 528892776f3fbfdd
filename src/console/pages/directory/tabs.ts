import type { ComponentType } from 'preact';
import type { DirectoryWithHealth } from '../../../client/generated/types.ts';
import type { Scope } from '../../session.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import type { TabProps } from './tab-props.ts';

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
  { path: 'settings', name: 'Settings', scope: 'directories:read', page: SettingsTab },
];
