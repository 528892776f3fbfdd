import { expect, it } from '@jest/globals';
import type { ConsolePage, ConsoleScene } from './console.ts';
import { confirm } from './console-dialog.ts';
import type { TestDirectory } from './service.ts';

interface Tab {
  name: 'attributes' | 'roles';
  /** What it shows if nothing has been set. */
  emptyText: string;
  /** Makes a directory with users, and with texts that are as long or as hostile as they may be. */
  createFilled(): Promise<TestDirectory>;
  filledText: string;
  /** The button that opens a dialog, and a text of the dialog. */
  dialog: { button: string; text: string };
}

const windows = [400, 1280].flatMap((width) => ['light', 'dark'].map((theme) => ({ width, theme })));

/** A tab with a preview fits into narrow and wide, light and dark windows: empty, filled, and with its dialog. */
export function itFitsEveryWindow(scene: () => ConsoleScene, { name, emptyText, createFilled, filledText, dialog }: Tab): void {
  it.each(windows)('$width pixels, $theme: the tab fits, and has no serious finding of axe', async ({ width, theme }) => {
    const directory = await createFilled();
    const page = await scene().signIn({ width, isDark: theme === 'dark', height: 900 });
    await page.visit(`/directories/${scene().healthy.id}/${name}`, emptyText);
    expect(await page.findFlaws()).toEqual([]);
    await page.visit(`/directories/${directory.id}/${name}`, filledText);
    await page.use('Preview');
    await page.see('No user would change');
    await page.see('Ada <img');
    await page.keepScreenshot(`${name}-${width}-${theme}`);
    expect(await page.findFlaws()).toEqual([]);
    await page.use(dialog.button);
    await page.see(dialog.text);
    await page.keepScreenshot(`${name}-dialog-${width}-${theme}`);
    expect(await page.findFlaws()).toEqual([]);
  });
}

/** Saves "the mapping", for example, and confirms it. */
export async function save(page: ConsolePage, what: string): Promise<void> {
  await page.use('Save');
  await page.see(`Save ${what}?`);
  await confirm(page);
  await page.see(`Saved ${what}.`);
}
