// Redirects the requests of Polis' Google client to a Google on this machine, and changes nothing else.
import http from 'node:http';
import https from 'node:https';

export function redirectGoogleTo(address) {
  const { hostname, port } = new URL(address);
  const googles = new Set(['admin.googleapis.com', 'www.googleapis.com', 'oauth2.googleapis.com']);
  const { request } = https;
  https.request = (url, options, onResponse) => {
    const target = new URL(url);
    if (!googles.has(target.hostname)) return request(url, options, onResponse);
    return http.request(new URL(target.pathname + target.search, `http://${hostname}:${port}`), options, onResponse);
  };
}
