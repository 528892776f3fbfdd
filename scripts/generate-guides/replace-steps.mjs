const section = /(?<=^<!-- steps: start[^>]* -->\n)[^]*?(?=^<!-- steps: end -->$)/m;

/** The page with other steps between its two comments; undefined if it lacks one. */
export function replaceSteps(page, steps) {
  if (!section.test(page)) return undefined;
  // By a function, because steps contain `$`.
  return page.replace(section, () => `\n${steps}\n`);
}
