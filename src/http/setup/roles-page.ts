import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import type { DirectoryWithHealth } from '../../directory/directories/directories.ts';
import { maxGroupNameLength } from '../../directory/roles/role-table.ts';
import type { SetupLink } from '../../directory/setup-links/setup-link.ts';
import type { ShownRole } from '../../directory/setup-links/setup-roles.ts';
import { escapeHtml } from '../server/html-page.ts';
import { type Page, type View, formatTime } from './render.ts';

interface RolesPage {
  link: SetupLink;
  found: DirectoryWithHealth;
  rows: ShownRole[];
  /** Suggestions: any other name can be typed. */
  groupNames: string[];
}

/** Which groups have which role in the application. Each form changes one row. */
export function renderRolesPage(view: View, { link, found, rows, groupNames }: RolesPage): Page {
  const { say, href } = view;
  const directoryPath = `/directory-sync/${publicDirectoryId(found.directory)}`;
  const ownPath = `${directoryPath}/roles`;
  // The last row of a table stays.
  const canTake = rows.length > 1;
  return {
    title: say('rolesTitle'),
    main: `<p><a href="${href(directoryPath)}">${say('rolesBack')}</a></p>
<h1>${say('rolesTitle')}</h1>
<p class="soft">${say('rolesIntro')}</p>
<section class="card">${rows.length === 0 ? `<p>${say('rolesNone')}</p>` : `<dl>${rows.map(renderRow).join('')}</dl>`}</section>
<section class="card"><h2>${say('roleGive')}</h2>
<form method="post" action="${href(ownPath)}">
<p><label>${say('group')}<br><input name="group" required maxlength="${maxGroupNameLength}" list="groups" autocomplete="off"></label></p>
<datalist id="groups">${groupNames.map((name) => `<option value="${escapeHtml(name)}"></option>`).join('')}</datalist>
<p><label>${say('role')}<br><select name="role">${link.roles.map((role) => `<option value="${escapeHtml(role)}">${escapeHtml(role)}</option>`).join('')}</select></label></p>
<p class="soft">${say('roleGiveHint')}</p>
<button class="main" name="action" value="give">${say('roleGive')}</button>
</form>
</section>`,
    path: href(ownPath).split('?')[0],
    foot: say('validUntil', { time: formatTime(link.expiresAt, view.language) }),
  };

  function renderRow({ ref, group, role, exists, canChange }: ShownRole) {
    const state = exists ? '' : `<br><span class="soft">${say('groupMissing')}</span>`;
    const take =
      canChange && canTake
        ? `<form method="post" action="${href(ownPath)}"><input type="hidden" name="ref" value="${escapeHtml(ref)}"><button class="small" name="action" value="take" aria-label="${say('roleTakeFrom', { group })}">${say('roleTake')}</button></form>`
        : '';
    const fixed = canChange ? '' : ` <span class="soft">${say('roleOfApplication')}</span>`;
    return `<div><dt translate="no">${escapeHtml(group)}${state}</dt><dd><span><span translate="no">${escapeHtml(role)}</span>${fixed}</span>${take}</dd></div>`;
  }
}
