// Creates a directory for a customer, and prints the SCIM address and secret for the customer's identity provider: `node create-directory.mjs acme`
import { directorySync } from './lib/directory-sync.mjs';

const [tenant = 'acme'] = process.argv.slice(2);
const sync = await directorySync().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
const { data: directory, error } = await sync.directories.create({ tenant, product: 'crm', type: 'azure-scim-v2' });
await sync.stop();
if (error) throw new Error(error.message);
console.log(`SCIM address  ${directory.scim.endpoint}`);
console.log(`SCIM secret   ${directory.scim.secret}`);
