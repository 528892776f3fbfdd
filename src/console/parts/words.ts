import type { HealthSummary } from '../../client/generated/types.ts';

export type Health = HealthSummary['status'];
export type Tone = 'good' | 'wait' | 'bad' | 'off';

interface Wording {
  word: string;
  tone: Tone;
}

/** What needs attention first. */
export const healthWords: Record<Health, Wording> = {
  failing: { word: 'Failing', tone: 'bad' },
  disabled: { word: 'Disabled', tone: 'bad' },
  needs_authorization: { word: 'Needs authorization', tone: 'bad' },
  needs_confirmation: { word: 'Needs confirmation', tone: 'bad' },
  paused: { word: 'Paused', tone: 'wait' },
  stale: { word: 'Stale', tone: 'wait' },
  waiting_for_first_push: { word: 'Waiting for first push', tone: 'wait' },
  healthy: { word: 'Healthy', tone: 'good' },
  deactivated: { word: 'Deactivated', tone: 'off' },
};

/** The state of a directory's delivery. */
export const deliveryStateWords: Record<string, Wording> = {
  active: { word: 'Active', tone: 'good' },
  failing: { word: 'Failing', tone: 'bad' },
  paused: { word: 'Paused', tone: 'wait' },
  disabled: { word: 'Disabled', tone: 'bad' },
  misconfigured: { word: 'Misconfigured', tone: 'bad' },
  no_webhook: { word: 'No webhook', tone: 'off' },
};

export const providerNames: Record<string, string> = {
  'okta-scim-v2': 'Okta',
  'azure-scim-v2': 'Microsoft Entra ID',
  'onelogin-scim-v2': 'OneLogin',
  'jumpcloud-scim-v2': 'JumpCloud',
  google: 'Google Workspace',
  entra: 'Microsoft Entra ID (Microsoft Graph)',
  csv: 'CSV files',
  'generic-scim-v2': 'Other (SCIM 2.0)',
};

/** Rollcall reads it, and gets no SCIM requests. */
export const isPulled = (type: string): boolean => !type.endsWith('-scim-v2');

export const providerName = (type: string): string => providerNames[type] ?? type;

export const countOf = (count: number, one: string, many = `${one}s`): string => `${count.toLocaleString()} ${count === 1 ? one : many}`;
