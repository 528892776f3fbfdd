import type { Keyring } from '../keyring.ts';
import type { Seal } from '../scim/cursor.ts';

/** A cursor that does not open is invalid, whatever the reason. */
export const createCursorSeal = (keyring: Keyring): Seal => ({
  seal: (text, context) => keyring.sealText(text, context),
  open(sealed, context) {
    try {
      return keyring.openText(sealed, context);
    } catch {
      return undefined;
    }
  },
});
