import type { Replay } from '../../../directory/delivery/replays.ts';
import { toTime } from '../field.ts';
import type { ReplayBody } from './schemas.ts';

export const presentReplay = (replay: Replay): ReplayBody => ({
  id: replay.id,
  directory_id: replay.directoryId,
  mode: replay.mode,
  ranges: replay.ranges,
  status: replay.status,
  reason: replay.reason ?? null,
  total: replay.total,
  done: replay.done,
  created_at: toTime(replay.createdAt),
  finished_at: toTime(replay.finishedAt),
});
