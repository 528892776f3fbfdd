import { defaultName } from '../../directory/directories/directory.ts';
import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import type { DirectoryWithHealth } from '../../directory/directories/directories.ts';
import { hasBeenPushedTo } from '../../directory/setup-links/progress.ts';
import type { SetupLink } from '../../directory/setup-links/setup-link.ts';
import { scimAddressOf } from '../api/directories/presenter.ts';
import { escapeHtml } from '../server/html-page.ts';
import type { Field } from './guides/guide.ts';
import { guides } from './guides/guides.ts';
import { type Page, type View, formatTime, renderText } from './render.ts';
import { renderStatus } from './render-status.ts';

interface ConnectPage {
  link: SetupLink;
  found: DirectoryWithHealth;
  baseUrl: string;
  /** Set only in the response to the request that created it. */
  secret: string | undefined;
}

const waitingRefreshSeconds = 5;
/** Long enough to press a button before the next reload. */
const connectedRefreshSeconds = 60;

/** The steps at one provider, the values to enter, and the status. */
export function renderConnectPage(view: View, { link, found, baseUrl, secret }: ConnectPage): Page {
  const { say, href } = view;
  const { directory } = found;
  const ownPath = `/directory-sync/${publicDirectoryId(directory)}`;
  const guide = guides[directory.type];
  const { endpoint } = scimAddressOf(directory, baseUrl);
  const title = directory.type === 'generic-scim-v2' ? say('connectOther') : say('connect', { provider: guide.name });
  const status = `<section class="card" id="status" aria-labelledby="status-title">
<h2 id="status-title">${say('status')}</h2>
<div data-status="${href(ownPath)}"${secret === undefined ? '' : ' data-stays'} aria-live="polite">${renderStatus(view, found)}</div>
</section>`;
  const steps = `<section class="card"><h2>${say('steps')}</h2>
<ol>${guide.steps.map(({ text, fields }) => `<li>${renderText(text[view.language])}${fields ? renderFields(fields) : ''}</li>`).join('\n')}</ol>
</section>`;
  return {
    title,
    main: `<p><a href="${href()}">${say('chooseAnother')}</a></p>
<h1>${title}</h1>
${directory.name === defaultName(directory) ? '' : `<p class="soft">${escapeHtml(directory.name)}</p>\n`}${secret === undefined ? '' : shownOnce()}
${secret === undefined ? status : ''}
${secret === undefined && link.roles.length > 0 ? renderRolesLink() : ''}
${steps}
${directory.acceptsScimSecret && !directory.connection ? renderSecretForm() : ''}
${secret === undefined ? '' : status}`,
    // A page in another language would not show the secret.
    path: secret === undefined ? href(ownPath).split('?')[0] : undefined,
    refreshSeconds: secret === undefined ? (hasBeenPushedTo(found) ? connectedRefreshSeconds : waitingRefreshSeconds) : undefined,
    foot: say('validUntil', { time: formatTime(link.expiresAt, view.language) }),
  };

  function shownOnce() {
    return `<div class="note" role="status"><p><b>${say('secretOnce')}</b></p></div>
<section class="card"><h2>${say('values')}</h2>
<dl>${row(say('endpoint'), copyable(endpoint))}${row(say('secret'), copyable(secret!))}</dl>
<p></p>
<p><a class="button" href="${href(ownPath)}">${say('showStatus')}</a></p>
</section>`;
  }

  function renderRolesLink() {
    return `<section class="card"><h2>${say('rolesTitle')}</h2>
<p>${say('rolesIntro')}</p>
<p><a href="${href(`${ownPath}/roles`)}">${say('rolesOpen')}</a></p></section>`;
  }

  function renderSecretForm() {
    const effect = hasBeenPushedTo(found) ? say('newSecretOverlap', { provider: guide.name }) : say('newSecretUnused');
    return `<section class="card">
${secret === undefined ? `<p>${say('secretHidden')}</p>\n` : ''}<p class="soft">${effect}</p>
<form method="post" action="${href(ownPath)}"><button class="plain" name="action" value="secret">${say('newSecret')}</button></form>
</section>`;
  }

  function renderFields(fields: Field[]) {
    return `<dl>${fields.map(({ label, value }) => row(`<span translate="no">${escapeHtml(label)}</span>`, renderValue(value))).join('')}</dl>`;
  }

  function renderValue(value: Field['value']) {
    if ('label' in value) return withCopy(`<span>${renderText(value.label)}</span>`);
    if ('text' in value) return copyable(value.text);
    if (value.of === 'endpoint') return copyable(endpoint);
    return secret === undefined ? `<span class="soft">${say('secret')}: ••••••••</span>` : copyable(secret);
  }

  function copyable(text: string) {
    const tag = text.includes('\n') ? 'pre' : 'code';
    return withCopy(`<${tag} translate="no">${escapeHtml(text)}</${tag}>`);
  }

  /** The button copies the text of the element before it. */
  function withCopy(shown: string) {
    return `${shown}<button type="button" class="small" data-copy="${say('copied')}" hidden>${say('copy')}</button>`;
  }
}

const row = (title: string, value: string) => `<div><dt>${title}</dt><dd>${value}</dd></div>`;
