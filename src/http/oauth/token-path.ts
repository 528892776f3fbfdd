/** Where identity providers get access tokens for SCIM. */
export const tokenPath = '/api/scim/oauth/token';
