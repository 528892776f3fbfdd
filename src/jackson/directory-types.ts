/** The types of directories, by the names that the ancestor shows them under. */
export const DirectorySyncProviders = {
  'azure-scim-v2': 'Entra ID SCIM v2.0',
  'onelogin-scim-v2': 'OneLogin SCIM v2.0',
  'okta-scim-v2': 'Okta SCIM v2.0',
  'jumpcloud-scim-v2': 'JumpCloud v2.0',
  'generic-scim-v2': 'Generic SCIM v2.0',
  google: 'Google',
} as const;

export type DirectoryType = keyof typeof DirectorySyncProviders;
