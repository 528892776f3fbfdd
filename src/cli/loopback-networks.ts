/** Webhooks may go to these networks if Rollcall runs with embedded servers, unless WEBHOOK_ALLOWED_NETWORKS is set. */
export const loopbackNetworks = ['127.0.0.0/8', '::1/128'];
