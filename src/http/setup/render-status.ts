import type { DirectoryWithHealth } from '../../directory/directories/directories.ts';
import { isPulledType, pulledServices } from '../../directory/directories/directory.ts';
import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import { type Progress, type RecentError, findRecentError, progressOf, wasSecretRejected } from '../../directory/setup-links/progress.ts';
import { guides } from './guides/guides.ts';
import type { MessageKey } from './languages/en.ts';
import { fill, languages } from './languages/languages.ts';
import { escapeHtml } from '../server/html-page.ts';
import { type View, renderText } from './render.ts';

const stateOf: Record<Progress, { key: MessageKey; kind: 'waiting' | 'good' | 'bad' }> = {
  waiting: { key: 'waiting', kind: 'waiting' },
  needs_consent: { key: 'needsConsent', kind: 'waiting' },
  syncing: { key: 'syncing', kind: 'waiting' },
  connected: { key: 'connected', kind: 'good' },
  deactivated: { key: 'deactivated', kind: 'bad' },
};

/** Shows what has arrived, why the last request was rejected, and what to do next. */
export function renderStatus(view: View, found: DirectoryWithHealth): string {
  const { say, href } = view;
  const { directory, health } = found;
  const { name: provider } = guides[directory.type];
  const service = isPulledType(directory.type) ? pulledServices[directory.type].signIn : '';
  const progress = progressOf(found);
  const { key, kind } = directory.removingAt ? ({ key: 'deleting', kind: 'bad' } as const) : stateOf[progress];
  const next: Partial<Record<Progress, string>> = {
    waiting: `<p>${say('waitingHint', { provider })}</p>`,
    needs_consent: `<p>${say('consentHint', { service })}</p>
<p><a class="button" href="${escapeHtml(consentAddress(view, found))}" target="_blank" rel="noopener noreferrer">${say('consentButton', { service })}</a></p>`,
    connected: `<p>${say('counts', { users: String(health.users), groups: String(health.groups) })}</p>
<p class="soft">${say('finishHint')}</p>
<form method="post" action="${href(`/directory-sync/${publicDirectoryId(directory)}`)}"><button class="main" name="action" value="finish">${say('finish')}</button></form>`,
  };
  return `<div class="${kind}">
<p class="state">${say(key)}</p>
${next[progress] ?? ''}
</div>
${renderRecentError(view, found)}`;
}

const consentAddress = ({ prefix }: View, { directory }: DirectoryWithHealth) =>
  `${prefix}/api/scim/oauth/authorize?directoryId=${publicDirectoryId(directory)}`;

function renderRecentError(view: View, found: DirectoryWithHealth): string {
  const recentError = findRecentError(found);
  const { lastPushAt } = found.health;
  if (wasSecretRejected(found)) return box(view, found, 'errorSecret');
  // An error is outdated if a later request succeeded.
  if (!recentError || (lastPushAt && lastPushAt.getTime() - recentError.at.getTime() > staleAfterMs)) return '';
  return box(view, found, messageOf(recentError), recentError);
}

const staleAfterMs = 600_000;

function messageOf({ status }: RecentError): MessageKey {
  if (status === 0) return 'errorSync';
  if (status === 403) return 'errorForbidden';
  if (status === 404) return 'errorAddress';
  if (status === 409) return 'errorDuplicate';
  return status === 408 || status === 429 || status >= 500 ? 'errorLater' : 'errorValue';
}

function box({ say, language }: View, { directory }: DirectoryWithHealth, key: MessageKey, recentError?: RecentError): string {
  const { name: provider, connectionAt, mappingAt } = guides[directory.type];
  const isAboutConnection = key === 'errorSecret' || key === 'errorAddress' || key === 'errorSync';
  const text = fill(languages[language][key], { provider, place: isAboutConnection ? connectionAt : mappingAt });
  const detail = recentError && [recentError.status || '', recentError.request, recentError.detail].filter(Boolean).join(' · ');
  return `<div class="note bad" role="status">
<p><b>${say('error')}.</b> ${renderText(text)}</p>
${detail === undefined ? '' : `<p>${say('errorDetail', { detail })}</p>\n`}</div>`;
}
