import { hrefOf } from '../../router.ts';

export const userHref = (directoryId: string, userId: string): string =>
  hrefOf(`/directories/${directoryId}/users/${encodeURIComponent(userId)}`);

export const groupHref = (directoryId: string, groupId: string): string =>
  hrefOf(`/directories/${directoryId}/groups/${encodeURIComponent(groupId)}`);

export const deliveryHref = (directoryId: string, deliveryId: string): string =>
  hrefOf(`/directories/${directoryId}/deliveries/${deliveryId}`);
