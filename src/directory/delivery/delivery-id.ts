import { createHash } from 'node:crypto';

/** The id of a delivery, which is also its `webhook-id`. */
export const toDeliveryId = (covered: string) => `msg_${createHash('sha256').update(covered).digest('base64url').slice(0, 27)}`;

export const isDeliveryId = (text: string) => /^msg_[\w-]{27}$/.test(text);
