import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ChromiumPage } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screenshots = process.env['SCREENSHOTS_FOLDER'];

/** From a phone to 4K. The first two differ in their layout, the others only in their size. */
const widths = [400, 1280, 2560, 3840];
const layouts = widths.filter((width) => width <= 1280);
/** Where axe looks: 4K differs from the width before in nothing but empty space. */
const maxAuditedWidth = 2560;

/** The serious findings of axe, and what does not fit into the window. */
export async function findFlaws(page: ChromiumPage): Promise<string[]> {
  await page.evaluate(`${axe}; undefined`);
  const found = await page.evaluate<string[]>(`axe.run(document).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, target.join(' '), failureSummary].join(': '))))`);
  return [...found, ...(await findMisplaced(page))];
}

/**
 * The flaws of a page in windows of every width, each with its width. Keeps screenshots `<name>-<width>`
 * if SCREENSHOTS_FOLDER is set, to be looked at.
 */
export const findFlawsInEveryWidth = (page: ChromiumPage, name: string): Promise<string[]> =>
  inWidths(page, widths, async (width) => {
    await keepScreenshot(page, `${name}-${width}`);
    return width <= maxAuditedWidth ? findFlaws(page) : findMisplaced(page);
  });

/** Only what does not fit. */
export const findMisplacedInEveryLayout = (page: ChromiumPage): Promise<string[]> => inWidths(page, layouts, () => findMisplaced(page));

async function inWidths(page: ChromiumPage, among: number[], find: (width: number) => Promise<string[]>): Promise<string[]> {
  const flaws: string[] = [];
  for (const width of among) {
    await page.setSize({ width, height: 900 });
    flaws.push(...(await find(width)).map((flaw) => `${width}: ${flaw}`));
  }
  return flaws;
}

const findMisplaced = (page: ChromiumPage) => page.evaluate<string[]>(misplaced);

/** Kept if SCREENSHOTS_FOLDER is set, to be looked at. */
export async function keepScreenshot(page: ChromiumPage, name: string): Promise<void> {
  if (screenshots === undefined) return;
  await mkdir(screenshots, { recursive: true });
  await writeFile(join(screenshots, `${name}.png`), await page.screenshot());
}

/** A page that is wider than the window, and texts and controls that overlap. What scrolls or is cut off counts only where it is visible. */
const misplaced = `(() => {
  const found = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push('The page is ' + (scrollWidth - clientWidth) + ' pixels wider than the window.');
  const boxes = [];
  const add = (element, rect) => {
    let { left, right, top, bottom } = rect;
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const { position, overflowX, clipPath } = getComputedStyle(at);
      // It lies above the page by design, or only screen readers read it.
      if (position === 'fixed' || position === 'sticky' || clipPath !== 'none') return;
      if (overflowX === 'visible') continue;
      const outer = at.getBoundingClientRect();
      [left, right] = [Math.max(left, outer.left), Math.min(right, outer.right)];
      [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    }
    // The box of a line is higher than its letters.
    const spare = (bottom - top) / 4;
    if (right - left > 4 && bottom - top > 4) boxes.push({ element, left: left + 1, right: right - 1, top: top + spare, bottom: bottom - spare });
  };
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) || element.closest('svg, script, style')) continue;
    if (element.matches('button, input, select, textarea')) add(element, element.getBoundingClientRect());
    for (const node of element.childNodes) {
      if (node.nodeType !== 3 || node.textContent.trim() === '' || element.matches('option, button, textarea')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) add(element, rect);
    }
  }
  const openDialog = document.querySelector('dialog[open]');
  for (const [at, one] of boxes.entries())
    for (const other of boxes.slice(at + 1)) {
      if (one.element === other.element || one.element.contains(other.element) || other.element.contains(one.element)) continue;
      if (openDialog && openDialog.contains(one.element) !== openDialog.contains(other.element)) continue;
      if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)
        found.push([one, other].map(({ element }) => '<' + element.tagName.toLowerCase() + '> ' + element.textContent.trim().slice(0, 40)).join(' overlaps ') + '.');
    }
  return found;
})()`;
