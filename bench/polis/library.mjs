// Polis as a library, driven by bench/library.ts.
import jackson from '@boxyhq/saml-jackson';
import { drive } from '../library/drive.mjs';

const silent = () => undefined;
const { directorySyncController } = await jackson.controllers({
  externalUrl: 'http://127.0.0.1:5225',
  samlPath: '/api/oauth/saml',
  db: { engine: 'sql', type: 'postgres', url: process.env.DATABASE_URL },
  noAnalytics: true,
  logger: { info: silent, warn: silent, error: silent },
});
drive(directorySyncController);
