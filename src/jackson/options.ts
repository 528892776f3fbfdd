import type { Rollcall, RollcallOptions } from '../library/index.ts';
import type { EventCallback } from './types.ts';

/** The ancestor's settings that mean something here, and Rollcall's own beside them; where both say something, Rollcall's own holds. */
export interface JacksonOption extends Partial<RollcallOptions> {
  db?:
    | {
        /** `sql`, or nothing. */
        engine?: string | undefined;
        /** `postgres`, or nothing. */
        type?: string | undefined;
        url?: string | undefined;
        /** 32 characters, whose bytes are the key; or 32 bytes in base64. */
        encryptionKey?: string | undefined;
        ssl?: boolean | { rejectUnauthorized?: boolean } | undefined;
        [passedOver: string]: unknown;
      }
    | undefined;
  dsync?:
    | {
        callback?: EventCallback | undefined;
        webhookBatchSize?: number | undefined;
        webhookBatchCronInterval?: number | undefined;
        providers?:
          | {
              google?:
                | {
                    clientId?: string | undefined;
                    clientSecret?: string | undefined;
                    authorizePath?: string | undefined;
                    callbackPath?: string | undefined;
                    cronInterval?: number | undefined;
                  }
                | undefined;
            }
          | undefined;
        [passedOver: string]: unknown;
      }
    | undefined;
  /** Where the operator is told of directories. */
  webhook?: { endpoint?: string | undefined; secret?: string | undefined } | undefined;
  scimPath?: string | undefined;
  [passedOver: string]: unknown;
}
