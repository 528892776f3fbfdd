// Rollcall as a library in direct mode, driven by bench/library.ts.
import { rollcall } from '../../dist/src/library/index.js';
import { drive } from './drive.mjs';

drive(
  await rollcall({
    databaseUrl: process.env.DATABASE_URL,
    encryptionKeys: [process.env.ENCRYPTION_KEYS],
    externalUrl: 'http://127.0.0.1:5225',
  }),
);
