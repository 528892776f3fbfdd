/** Whether a browser that names this host, with or without a port, runs on this machine. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host);
