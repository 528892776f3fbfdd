/**
 * Adds copy buttons, and a status that changes without a reload. When the link has ended, the page says so, unless it shows a secret that
 * would be lost. Without JavaScript, the page reloads itself, and one click selects a text.
 */
export const script = `
'use strict';
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const shown = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(shown.textContent);
    } catch {
      getSelection().selectAllChildren(shown);
      if (!document.execCommand('copy')) return;
    }
    const text = button.textContent;
    button.textContent = button.dataset.copy;
    setTimeout(() => { button.textContent = text; }, 2000);
  });
}
const live = document.querySelector('[data-status]');
if (live) {
  const shortestMs = 3000;
  let waitMs = shortestMs;
  const update = async () => {
    const response = await fetch(live.dataset.status, { headers: { accept: 'text/html' } });
    if ([401, 403, 404].includes(response.status)) return false;
    waitMs = response.status === 429 ? Math.min(2 * waitMs, 60000) : shortestMs;
    if (!response.ok) return true;
    const found = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-status]');
    if (found && found.innerHTML !== live.innerHTML) live.replaceChildren(...found.childNodes);
    return true;
  };
  const poll = async () => {
    // A fetch that fails may succeed the next time.
    if (document.hidden || (await update().catch(() => true))) setTimeout(poll, waitMs);
    else if (!('stays' in live.dataset)) location.replace(live.dataset.status);
  };
  setTimeout(poll, waitMs);
}
`;
