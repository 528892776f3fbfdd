import { positive, text } from './fields.ts';

export const setupSettings = {
  SETUP_LINK_EXPIRY_DAYS: positive
    .max(365, 'at most 365')
    .default(3)
    .describe('Days that a new setup link is valid, unless its expiryDays says otherwise.'),
  BRANDING_FILE: text
    .optional()
    .describe('YAML or JSON file with the name, logo and color of the pages of setup links; if unset, the pages show none.'),
};
