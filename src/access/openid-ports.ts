/** The state of one sign-in. Only the browser that began it has it, encrypted in a cookie. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
  beganAtMs: number;
}

/** An OpenID provider. Fails with errors for people who sign in: `issuer_unavailable`, or those that begin with `sign_in_`. */
export interface OpenIdProvider {
  /** Returns the address to redirect the browser to. */
  begin(pending: PendingSignIn, redirectUri: string): Promise<string>;
  /** `callbackUrl` is the redirect URI with the parameters that the provider added. Returns the claims about the person. */
  complete(pending: PendingSignIn, callbackUrl: URL): Promise<Record<string, unknown>>;
}
