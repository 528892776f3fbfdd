// Rollcall as a library in direct mode, driven by bench/library.ts.
import { drive } from './drive.mjs';

/** The library of this build, or of an earlier one. */
const { rollcall } = await import(process.env.LIBRARY);

drive(
  await rollcall({
    databaseUrl: process.env.DATABASE_URL,
    encryptionKeys: [process.env.ENCRYPTION_KEYS],
    externalUrl: 'http://127.0.0.1:5225',
  }),
);
