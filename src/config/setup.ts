import { positive, text } from './fields.ts';

export const setupSettings = {
  SETUP_LINK_EXPIRY_DAYS: positive
    .max(365, 'at most 365')
    .default(3)
    .describe('How many days a new setup link works, unless it says otherwise.'),
  BRANDING_FILE: text
    .optional()
    .describe('YAML or JSON file with the name, logo and color that the pages of setup links show; if unset, they show none.'),
};
