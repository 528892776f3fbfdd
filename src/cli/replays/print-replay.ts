import type { Replay } from '../../client/index.ts';
import type { Printer } from '../print.ts';
import { shortTime } from '../times.ts';

export const printReplay = (print: Printer, replay: Replay): void =>
  print.fields([
    ['Replay', replay.id],
    ['Directory', replay.directory_id],
    ['Mode', replay.mode],
    ['Status', replay.status],
    ['Reason', replay.reason],
    ['Sent', `${replay.done} of ${replay.total} events`],
    ['Begun', shortTime(replay.created_at)],
    ['Ended', shortTime(replay.finished_at)],
  ]);
