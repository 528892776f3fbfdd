import { z } from 'zod';
import { pathParam } from '../operation.ts';
import { exampleDeliveryId, exampleId } from './field.ts';

const directoryId = pathParam("The directory's id.", exampleId);

export const directoryParams = z.object({ directoryId });
export const deliveryParams = z.object({ directoryId, deliveryId: pathParam('The `webhook-id` of the delivery.', exampleDeliveryId) });
export const replayParams = z.object({ directoryId, replayId: pathParam("The replay's id.", exampleId) });
export const runParams = z.object({ directoryId, runId: pathParam("The sync run's id.", exampleId) });
