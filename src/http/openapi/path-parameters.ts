import { exampleId } from './answers/field.ts';

const meanings: Record<string, { description: string; example: string }> = {
  directoryId: { description: "The directory's id.", example: exampleId },
  directory: { description: "The directory's id.", example: exampleId },
  userId: { description: "The user's id.", example: exampleId },
  groupId: { description: "The group's id.", example: exampleId },
  eventId: { description: 'The `webhook-id`.', example: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' },
  deliveryId: { description: 'The `webhook-id` of the delivery.', example: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' },
  replayId: { description: "The replay's id.", example: exampleId },
  runId: { description: "The run's id.", example: exampleId },
  id: { description: 'The id of the resource.', example: exampleId },
  path: { description: 'The path that is asked about.', example: 'sessions/whoami' },
  lease: { description: 'The lease.', example: exampleId },
};

export const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const { description, example } = meanings[name!]!;
    return { name: name!, in: 'path', required: true, description, schema: { type: 'string' }, example };
  });
