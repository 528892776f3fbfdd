import type { EventCallback as LibraryCallback } from '../library/index.ts';
import type { EventCallback } from './types.ts';

/** The same events, only known more closely: whoever is called back gets them while their content is there. */
export const toLibraryCallback = (callback: EventCallback | undefined) => callback as unknown as LibraryCallback | undefined;
