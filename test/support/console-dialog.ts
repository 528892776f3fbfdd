import type { ConsolePage } from './console.ts';

/** Presses the button of the open dialog that does what it asks. */
export const confirm = (page: ConsolePage) => page.evaluate('document.querySelector("dialog .main").click()');

/** Chooses the radio button, or switches the check box, whose label begins with this text. */
export const choose = (page: ConsolePage, label: string) =>
  page.evaluate(
    `[...document.querySelectorAll('label')].find((one) => one.textContent.startsWith(${JSON.stringify(label)})).querySelector('input').click()`,
  );
