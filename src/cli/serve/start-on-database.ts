import { startService } from '../../app/service.ts';
import { tellingOutages } from '../../store/outage.ts';

/** A database that goes away during the start is told as one, and not as the statement that happened to be under way. */
export const { startService: startOnDatabase } = tellingOutages({ startService });
