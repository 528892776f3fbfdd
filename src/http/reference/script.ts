/** The only script: filters the contents, marks the current section, and folds the contents on a narrow page. The page works without it. */
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

const mark = () => {
  for (const link of contents.querySelectorAll('a')) {
    const isHere = link.hash === location.hash;
    if (isHere) link.closest('.group').open = true;
    if (isHere) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
};
addEventListener('hashchange', mark);
mark();

document.documentElement.classList.add('folding');
const narrow = matchMedia('(max-width: 60rem)');
const fold = () => { contents.open = !narrow.matches; };
narrow.addEventListener('change', fold);
fold();
contents.addEventListener('click', (event) => {
  if (narrow.matches && event.target.closest('a')) contents.open = false;
});
`;
