import type { WindowState } from './windows.ts';

export type Layer = 'volumetric' | 'project' | 'inflight';

export interface Decision {
  isAllowed: boolean;
  layer: Layer;
  /** Of a project its bucket, of the other layers the rule. */
  bucket: string;
  waitMs: number;
  /** None for the inflight layer. */
  windows: WindowState[];
}
