import type { DirectoryType } from '../../../directory/directories/directory.ts';
import { csv } from './csv.ts';
import { entra } from './entra.ts';
import { entraGraph } from './entra-graph.ts';
import { generic } from './generic.ts';
import { google } from './google.ts';
import type { Guide } from './guide.ts';
import { jumpCloud } from './jumpcloud.ts';
import { okta } from './okta.ts';
import { oneLogin } from './onelogin.ts';

/** In the order in which the page offers them. */
export const guides: Record<DirectoryType, Guide> = {
  'okta-scim-v2': okta,
  'azure-scim-v2': entra,
  'onelogin-scim-v2': oneLogin,
  'jumpcloud-scim-v2': jumpCloud,
  google,
  entra: entraGraph,
  csv,
  'generic-scim-v2': generic,
};
