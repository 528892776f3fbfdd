// An application that embeds Rollcall: eight writers create users, and print those that are acknowledged.
import { rollcall } from '../../dist/src/library/index.js';

const { DATABASE_URL, ENCRYPTION_KEY, DIRECTORY_ID, SCIM_SECRET, RUN } = process.env;
const { requests } = await rollcall({ databaseUrl: DATABASE_URL, encryptionKeys: [ENCRYPTION_KEY], externalUrl: 'https://app.example' });
const report = ({ sequence }) => void process.stdout.write(`dispatched ${sequence}\n`);

async function write(writer) {
  for (let count = 0; ; count += 1) {
    const userName = `${RUN}-${writer}-${count}`;
    const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName };
    const { status } = await requests.handle(
      { method: 'POST', directoryId: DIRECTORY_ID, resourceType: 'users', apiSecret: SCIM_SECRET, body },
      report,
    );
    if (status === 201) process.stdout.write(`made ${userName}\n`);
  }
}
await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
