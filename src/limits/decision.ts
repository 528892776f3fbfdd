import type { WindowState } from './windows.ts';

export type Layer = 'volumetric' | 'project' | 'inflight';

export interface Decision {
  isAllowed: boolean;
  layer: Layer;
  /** The project's bucket; in the other layers, the name of the rule. */
  bucket: string;
  waitMs: number;
  /** Empty for the inflight layer. */
  windows: WindowState[];
}
