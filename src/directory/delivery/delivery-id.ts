import { createHash } from 'node:crypto';

/** A delivery's id is what receivers know as `webhook-id`. */
export const toDeliveryId = (covered: string) => `msg_${createHash('sha256').update(covered).digest('base64url').slice(0, 27)}`;

export const isDeliveryId = (text: string) => /^msg_[\w-]{27}$/.test(text);
