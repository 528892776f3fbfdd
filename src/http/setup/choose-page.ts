import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import { defaultName, isPulledType, type DirectoryType, type PulledType } from '../../directory/directories/directory.ts';
import type { DirectoryInList } from '../../directory/ports.ts';
import type { SetupLink } from '../../directory/setup-links/setup-link.ts';
import { escapeHtml } from '../server/html-page.ts';
import { guides } from './guides/guides.ts';
import { type Page, type View, formatTime } from './render.ts';

interface ChoosePage {
  link: SetupLink;
  directories: DirectoryInList[];
  offersConsent(type: PulledType): boolean;
}

/** The first page of a link: choose the provider, or continue with an existing directory. */
export function renderChoosePage(view: View, { link, directories, offersConsent }: ChoosePage): Page {
  const { say, href, branding } = view;
  const types = (Object.keys(guides) as DirectoryType[]).filter(
    (type) => (link.provider === undefined || link.provider === type) && (!isPulledType(type) || offersConsent(type)),
  );
  const title = branding.name === undefined ? say('title') : say('titleFor', { name: branding.name });
  return {
    title,
    main: `<h1>${title}</h1>
<p class="soft">${say('intro')}</p>
${directories.length === 0 ? '' : existing()}
<section class="card">
${link.provider === undefined ? `<h2>${say('chooseProvider')}</h2>\n` : ''}<form method="post" action="${href()}">
${link.provider === undefined ? `<ul class="providers">${types.map(button).join('')}</ul>` : presetButton(link.provider)}
</form>
</section>
<p class="soft">${say('begin')}</p>`,
    path: href().split('?')[0],
    foot: say('validUntil', { time: formatTime(link.expiresAt, view.language) }),
  };

  function existing() {
    const items = directories.map(
      ({ directory }) =>
        `<li><a href="${href(`/directory-sync/${publicDirectoryId(directory)}`)}">${nameOf(view, directory.type)}${directory.name === defaultName(directory) ? '' : `<small>${escapeHtml(directory.name)}</small>`}</a></li>`,
    );
    return `<section class="card"><h2>${say('alreadySetUp')}</h2><ul class="providers">${items.join('')}</ul></section>`;
  }

  function presetButton(type: DirectoryType) {
    return `<button class="main" name="type" value="${type}">${say('continueWith', { provider: guides[type].name })}</button>`;
  }

  function button(type: DirectoryType) {
    const hint = type === 'generic-scim-v2' ? `<small>${say('otherProviderHint')}</small>` : '';
    return `<li><button name="type" value="${type}">${nameOf(view, type)}${hint}</button></li>`;
  }
}

/** The name of a provider, escaped. */
const nameOf = ({ say }: View, type: DirectoryType): string =>
  type === 'generic-scim-v2' ? say('otherProvider') : escapeHtml(guides[type].name);
