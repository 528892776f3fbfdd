import type { JsonObject } from '../../scim/json.ts';
import { toGroup, toUser } from './records.ts';
import { groupSchema, userSchema } from './responses.ts';

/** What Polis stored of Google, as a sync stores it: the next sync then finds no difference. */
export const googleRecords = {
  toUser(raw: JsonObject): JsonObject | undefined {
    const read = userSchema.safeParse(raw);
    return read.success ? toUser(read.data).resource : undefined;
  },
  toGroup(raw: JsonObject): JsonObject | undefined {
    const read = groupSchema.safeParse(raw);
    return read.success ? toGroup(read.data).resource : undefined;
  },
};
