/** A directory that may be read: in use, and authorised. */
export const isReady = `not deactivated and google_refused is null
  and (google_access_token is not null or google_refresh_token is not null or google_admin_email is not null)`;
