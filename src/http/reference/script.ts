/** The only script. The page works without it, but has no filter and no copy buttons then. */
export const script = `
const contents = document.querySelector('.contents');
const field = contents.querySelector('input');
const groups = [...contents.querySelectorAll('.group')];
const nothing = contents.querySelector('.nothing');

field.parentElement.hidden = false;
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let found = 0;
  for (const group of groups) {
    let here = 0;
    for (const entry of group.querySelectorAll('li')) {
      const text = (group.firstElementChild.textContent + ' ' + entry.textContent + ' ' + entry.dataset.words).toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
      if (!entry.hidden) here += 1;
    }
    group.hidden = here === 0;
    group.open = words.length > 0 && here > 0;
    found += here;
  }
  nothing.hidden = found > 0;
});

// Marks the link of the section that the address names, and opens the section.
const targets = new Map([...document.querySelectorAll('main [id]')].map((target) => ['#' + encodeURIComponent(target.id), target]));
const reveal = () => {
  for (const link of contents.querySelectorAll('a')) {
    link.ariaCurrent = link.hash === location.hash ? 'true' : null;
    if (link.ariaCurrent) link.closest('.group').open = true;
  }
  const target = targets.get(location.hash);
  if (!target) return;
  target.querySelector(':scope > details')?.setAttribute('open', '');
  for (let outer = target.closest('details'); outer; outer = outer.parentElement.closest('details')) outer.open = true;
  target.scrollIntoView();
};
addEventListener('hashchange', reveal);
reveal();

// For browsers whose search does not open what is closed.
const expand = contents.querySelector('.expand');
expand.hidden = false;
expand.addEventListener('click', () => {
  const open = expand.textContent === 'Expand all';
  for (const details of document.querySelectorAll('article > details')) details.open = open;
  expand.textContent = open ? 'Collapse all' : 'Expand all';
});

document.documentElement.classList.add('folding');
const narrow = matchMedia('(max-width: 60rem)');
const fold = () => { contents.open = !narrow.matches; };
narrow.addEventListener('change', fold);
fold();

// hashchange does not fire for a link to the section that the address already names.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link) return;
  if (narrow.matches && contents.contains(link)) contents.open = false;
  if (link.hash === location.hash) reveal();
});

// A language is chosen for all samples.
document.addEventListener('change', ({ target }) => {
  if (!target.matches('.samples input')) return;
  const { top } = target.getBoundingClientRect();
  for (const input of document.querySelectorAll('.samples input')) input.checked = input.value === target.value;
  scrollBy(0, target.getBoundingClientRect().top - top);
});

for (const code of document.querySelectorAll('pre')) {
  const block = document.createElement('div');
  block.className = 'block';
  const button = document.createElement('button');
  button.textContent = 'Copy';
  code.replaceWith(block);
  block.append(code, button);
  button.addEventListener('click', async () => {
    button.textContent = (await copy(code)) ? 'Copied' : 'Selected';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
}

// A page that came over plain HTTP has no clipboard: then the text is selected, and the old command copies it.
const copy = async (code) => {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand('copy');
  }
};
`;
