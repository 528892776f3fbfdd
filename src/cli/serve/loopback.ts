/** Where webhooks of a service with everything embedded may go besides. */
export const loopback = ['127.0.0.0/8', '::1/128'];
