export const style = `
:root {
  color-scheme: light dark;
  --text: #1c2530; --soft: #55606e; --ground: #ffffff; --raised: #f5f7f9; --line: #d9dfe6; --link: #0b57b0; --needed: #a3341c;
  --get: #0b57b0; --post: #1a6b33; --patch: #7d4e00; --put: #7d4e00; --delete: #a3241c; --good: #1a6b33; --bad: #a3341c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e3e8ee; --soft: #a3afbd; --ground: #12171d; --raised: #1a2129; --line: #303a46; --link: #7db5ff; --needed: #ff9c85;
    --get: #7db5ff; --post: #7fd694; --patch: #f0bd6a; --put: #f0bd6a; --delete: #ff9c95; --good: #7fd694; --bad: #ff9c85;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--text); background: var(--ground); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--ground); }
.skip:focus { left: 0; top: 0; z-index: 1; }
.page { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem; background: var(--raised); border-right: 1px solid var(--line); font-size: .9rem; }
nav ul { list-style: none; margin: .1rem 0 .6rem; padding: 0; }
nav li a { display: flex; gap: .4rem; align-items: baseline; padding: .2rem .4rem; border-radius: 4px; color: var(--text); text-decoration: none; overflow-wrap: anywhere; }
nav li a:hover, nav li a[aria-current] { background: var(--line); }
nav summary { padding: .3rem .4rem; border-radius: 4px; cursor: pointer; font-weight: 600; }
nav summary:hover { background: var(--line); }
nav .contents > summary { display: none; }
nav .count { color: var(--soft); font-weight: 400; }
nav .method { flex: 0 0 3.1rem; font-size: .7rem; }
.expand, .block button { padding: .15rem .55rem; border: 1px solid var(--line); border-radius: 6px; color: var(--soft); background: var(--ground); font: inherit; font-size: .8rem; cursor: pointer; }
.expand:hover, .block button:hover { color: var(--text); border-color: var(--soft); }
nav .expand { margin: 0 .4rem .6rem; }
nav .nothing { margin: .5rem .4rem; color: var(--soft); }
.filter { display: block; margin: 0 .4rem .75rem; font-weight: 600; }
.filter input::placeholder { color: var(--soft); opacity: 1; }
.filter input { display: block; width: 100%; margin-top: .25rem; padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: 6px; color: inherit; background: var(--ground); font: inherit; font-weight: 400; }
main { width: 100%; max-width: 68rem; padding: 2rem clamp(1rem, 4vw, 3.5rem) 6rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h1 small { color: var(--soft); font-size: 1rem; font-weight: 400; }
h2 { margin: 0; font-size: 1.5rem; }
section { margin-top: 3.5rem; }
section > h2, section > details > summary { margin-bottom: .75rem; padding-bottom: .4rem; border-bottom: 2px solid var(--line); }
h3 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
h4 { margin: 1.5rem 0 .5rem; font-size: .95rem; }
p { margin: .5rem 0; max-width: 46rem; }
p code, td code, li code { overflow-wrap: anywhere; }
.self { padding: 0 .3rem; color: var(--soft); text-decoration: none; }
.self:hover { color: var(--link); }
main summary { cursor: pointer; }
summary > :is(h2, h3) { display: inline; }
article { margin: .6rem 0; padding: .7rem 1rem; border: 1px solid var(--line); border-radius: 10px; }
article:has(> details[open]) { margin-block: 1.25rem; padding-bottom: 1.25rem; }
article > details > summary:hover h3 { text-decoration: underline; text-underline-offset: .15em; }
article:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
.address { display: block; margin: .2rem 0 0 1.1rem; color: var(--soft); overflow-wrap: anywhere; }
.address .method { margin-right: .3rem; }
.samples { min-width: 0; margin: 1rem 0; padding: 0; border: 0; }
.samples legend { padding: 0; font-size: .95rem; font-weight: 700; }
.samples label { display: inline-block; padding: .3rem .7rem; border-bottom: 2px solid transparent; color: var(--soft); font-size: .85rem; cursor: pointer; }
.samples label:has(:checked) { border-color: var(--link); color: var(--text); font-weight: 600; }
.samples label:has(:focus-visible) { outline: 3px solid var(--link); outline-offset: -2px; border-radius: 4px; }
.samples input { position: absolute; opacity: 0; }
.samples:has([value="curl"]:checked) > :is(.typescript, .python), .samples:has([value="typescript"]:checked) > :is(.curl, .python),
.samples:has([value="python"]:checked) > :is(.curl, .typescript) { display: none; }
.block { position: relative; }
.block button { position: absolute; top: .4rem; right: .4rem; }
.block pre { min-height: 2.6rem; padding-right: 4.5rem; }
.method { display: inline-block; font: 700 .8rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.patch { color: var(--patch); }
.method.put { color: var(--put); } .method.delete { color: var(--delete); }
.guides, .who, .note, .usual, .or, .content { color: var(--soft); }
.note { display: block; font-size: .8rem; font-weight: 400; }
.needed { color: var(--needed); }
.status { font: 700 .9rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.status-2, .status-3 { color: var(--good); } .status-4, .status-5 { color: var(--bad); }
.response { margin: .75rem 0 1rem; }
.example-response summary { padding: .2rem 0; color: var(--link); }
.example-response pre { max-height: 24rem; }
.operation-id { margin: .2rem 0 .5rem 1.1rem; color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-size: .9rem; table-layout: fixed; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
thead th { border-top: 0; color: var(--soft); font-size: .8rem; font-weight: 600; }
tbody th { font-weight: 600; }
th:nth-child(1) { width: 26%; } th:nth-child(2) { width: 22%; } th:nth-child(4) { width: 20%; }
.errors th:nth-child(1) { width: 6rem; } .errors th:nth-child(2) { width: auto; } .errors th:nth-child(3) { width: 22%; }
.meanings th:nth-child(1) { width: 9rem; } .meanings th:nth-child(2) { width: auto; }
.depth-1 > th { padding-left: 1.1rem; } .depth-2 > th { padding-left: 2.2rem; } .depth-3 > th { padding-left: 3.3rem; }
.depth-4 > th, .depth-5 > th { padding-left: 4.4rem; }
pre { margin: .5rem 0; padding: .9rem 1rem; border-radius: 6px; background: var(--raised); overflow-x: auto; }
footer { color: var(--soft); }
@media (max-width: 60rem) {
  .page { display: block; }
  nav { position: static; height: auto; max-height: 100vh; padding: .75rem 1rem; border-right: 0; border-bottom: 1px solid var(--line); }
  .folding nav { position: sticky; z-index: 1; padding-block: .4rem; }
  .folding { scroll-padding-top: 3.5rem; }
  .folding nav .contents[open] { padding-bottom: 2rem; }
  nav .contents > summary { display: list-item; }
  nav .contents > .filter { margin-top: .75rem; }
  main { padding-top: 1.5rem; }
}
@media (max-width: 40rem) {
  .block pre { padding: 2.6rem 1rem .9rem; }
  article { margin-inline: -.25rem; padding: 1rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td { display: block; width: auto !important; }
  tr { padding: .6rem 0; border-top: 1px solid var(--line); }
  tbody th, td { padding: .05rem 0; border: 0; }
  td:empty { display: none; }
  .note { display: inline; }
  .example::before { content: "For example "; color: var(--soft); }
  .depth-1 { margin-left: 1rem; } .depth-2 { margin-left: 2rem; } .depth-3 { margin-left: 3rem; } .depth-4, .depth-5 { margin-left: 3.5rem; }
  .depth-1 > th, .depth-2 > th, .depth-3 > th, .depth-4 > th, .depth-5 > th { padding-left: 0; }
}
@media print { nav, button { display: none; } .page { display: block; } details::details-content { content-visibility: visible; block-size: auto; } }
`;
