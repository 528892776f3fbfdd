// An application that embeds Rollcall and delivers webhooks.
import { rollcall } from '../../dist/src/library/index.js';

await rollcall({ ...JSON.parse(process.env.OPTIONS), deliverWebhooks: true });
process.stdout.write('started\n');
