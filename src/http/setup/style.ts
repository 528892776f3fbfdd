import { readTokens } from '../server/tokens.ts';
import type { Branding } from './branding.ts';

const base = `
@media (min-width: 120rem) { :root { font-size: var(--size-root-wide); } }
@media (min-width: 150rem) { :root { font-size: var(--size-root-widest); } }
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; background: var(--page); color: var(--text); font: 1rem/1.55 var(--sans); }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; align-items: center; gap: .75rem; min-height: 4.5rem; font-weight: 600; }
header img { max-height: 2.25rem; max-width: 10rem; }
main { padding-bottom: 2rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; }
.soft, footer { color: var(--soft); }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 1rem 0; }
.card > :last-child, .card [data-status] > :last-child, .card [data-status] > :last-child > :last-child { margin-bottom: 0; }
.providers { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .75rem; padding: 0; margin: 0; list-style: none; }
.providers button, .providers a { display: flex; flex-direction: column; justify-content: center; width: 100%; height: 100%; min-height: 4.5rem; padding: .75rem 1rem; text-align: start; color: inherit; background: var(--surface); border: 1px solid var(--line); border-radius: .6rem; font: inherit; font-weight: 600; cursor: pointer; text-decoration: none; overflow-wrap: anywhere; }
.providers small { font-weight: 400; color: var(--soft); }
.providers button:hover, .providers a:hover { border-color: var(--brand-line); }
ol { padding-inline-start: 1.5rem; margin: 0; }
ol > li { margin-bottom: 1rem; padding-inline-start: .25rem; }
ol > li:last-child { margin-bottom: 0; }
ol > li::marker { font-weight: 600; color: var(--soft); }
dl { margin: .75rem 0 0; border: 1px solid var(--line); border-radius: .6rem; overflow: hidden; }
.card > dl:first-child { margin-top: 0; }
dl > div { display: grid; grid-template-columns: minmax(0, 13rem) minmax(0, 1fr); gap: .25rem 1rem; padding: .6rem .9rem; align-items: center; }
dl > div + div { border-top: 1px solid var(--line); }
dt { font-weight: 600; overflow-wrap: anywhere; }
dt .soft { font-weight: 400; }
dd { margin: 0; min-width: 0; display: flex; gap: .5rem; align-items: center; }
dd > :first-child { flex: 1; min-width: 0; }
code, pre { font: .875rem/1.5 var(--mono); overflow-wrap: anywhere; margin: 0; user-select: all; }
pre { white-space: pre-wrap; }
@media (max-width: 36rem) { dl > div { grid-template-columns: minmax(0, 1fr); } h1 { font-size: 1.4rem; } }
.button, .card button.main { display: inline-block; padding: .6rem 1.1rem; border: 0; border-radius: .5rem; background: var(--brand); color: var(--on-brand); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
button.small, button.plain { padding: .3rem .7rem; border: 1px solid var(--line); border-radius: .4rem; background: transparent; color: inherit; font: inherit; font-size: .875rem; cursor: pointer; white-space: nowrap; }
button.plain { padding: .5rem .9rem; font-size: 1rem; white-space: normal; text-align: start; }
input, select { width: 100%; max-width: 28rem; padding: .5rem .7rem; border: 1px solid var(--line-strong); border-radius: .4rem; background: var(--surface); color: inherit; font: inherit; }
a { color: inherit; }
:focus-visible { outline: 3px solid var(--brand-line); outline-offset: 2px; }
.state { display: flex; gap: .6rem; align-items: baseline; font-weight: 600; margin-bottom: .5rem; }
.state::before { content: ""; flex: none; width: .7rem; height: .7rem; border-radius: 50%; background: currentColor; }
.waiting .state { color: var(--wait); } .good .state { color: var(--good); } .bad .state { color: var(--bad); }
.note { border-radius: .6rem; padding: .8rem 1rem; margin: 1rem 0; background: var(--wait-soft); color: var(--wait); }
.note.bad { background: var(--bad-soft); color: var(--bad); }
.note > :last-child { margin-bottom: 0; }
.note p + p { font-size: .9rem; }
footer { padding-bottom: 2.5rem; font-size: .9rem; display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; }
nav { display: flex; flex-wrap: wrap; gap: .25rem .9rem; }
nav [aria-current] { font-weight: 600; text-decoration: none; color: var(--text); }
[hidden] { display: none !important; }
`;

/**
 * Colors and sizes are those of the console, and its accent if there is no brand color. Text on the brand color is black or white, whichever is easier
 * to read. In dark mode, lines of a very dark brand color would be invisible.
 */
export function styleOf({ color }: Branding): string {
  const { css, valueOf } = readTokens();
  const brand = color ?? valueOf('accent');
  const luminance = luminanceOf(brand);
  return `${css}
:root { --brand: ${brand}; --on-brand: ${luminance > 0.35 ? 'black' : 'white'}; --brand-line: ${brand}; }
@media (prefers-color-scheme: dark) { :root { --brand-line: ${luminance < 0.12 ? 'var(--accent)' : brand}; } }${base}`;
}

/** WCAG 2. */
function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
