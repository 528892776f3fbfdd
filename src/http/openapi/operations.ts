import { deliveryOperations } from './deliveries.ts';
import { deliveryControlOperations } from './delivery-control.ts';
import { descriptionOperations } from './description.ts';
import { directoryOperations } from './directories.ts';
import { eventFeedOperations } from './event-feed.ts';
import { googleOperations } from './google.ts';
import { groupOperations } from './groups.ts';
import { healthOperations } from './health.ts';
import { limitOperations } from './limits.ts';
import type { Operation } from './operation.ts';
import { replayOperations } from './replays.ts';
import { scimOperations } from './scim.ts';
import { statsOperations } from './stats.ts';
import { syncOperations } from './syncs.ts';
import { userOperations } from './users.ts';
import { webhookEventOperations } from './webhook-events.ts';

export const operations: Operation[] = [
  ...directoryOperations,
  ...userOperations,
  ...groupOperations,
  ...eventFeedOperations,
  ...deliveryControlOperations,
  ...deliveryOperations,
  ...replayOperations,
  ...webhookEventOperations,
  ...syncOperations,
  ...googleOperations,
  ...statsOperations,
  ...limitOperations,
  ...healthOperations,
  ...descriptionOperations,
  ...scimOperations,
];
