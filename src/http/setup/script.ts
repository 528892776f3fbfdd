/**
 * What the page does with JavaScript: copy buttons, and a status that changes without a reload. Without it, the page reloads itself, and texts
 * are selected with one click.
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
  const update = async () => {
    try {
      const response = await fetch(live.dataset.status, { headers: { accept: 'text/html' } });
      if (!response.ok) return;
      const found = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-status]');
      if (found && found.innerHTML !== live.innerHTML) live.replaceChildren(...found.childNodes);
    } catch { /* The next time may succeed. */ }
  };
  setInterval(() => { if (!document.hidden) update(); }, 3000);
}
`;
