import { createServer } from 'node:http';
import { startFakeGoogle } from '../../test/support/google/fake-google.ts';
import { makeWorld, type WorldSize } from './world.ts';

/** The response of the readiness endpoint, for the parent process. */
export interface GoogleFacts {
  clientId: string;
  clientSecret: string;
  addresses: { apiUrl: string; authUrl: string; tokenUrl: string };
  tokens: { accessToken: string; refreshToken: string };
}

const google = await startFakeGoogle();
google.preset(makeWorld(JSON.parse(process.env['WORLD']!) as WorldSize));
const { accessToken, refreshToken } = google.issueTokens();
const { clientId, clientSecret, addresses } = google;
const facts: GoogleFacts = { clientId, clientSecret, addresses, tokens: { accessToken, refreshToken } };

const server = createServer((_request, response) => void response.end(JSON.stringify(facts)));
server.listen(Number(process.env['PORT']), '127.0.0.1');
