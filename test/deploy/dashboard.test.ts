import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { packageRoot } from '../../src/paths.ts';

/** The fields without which Grafana rejects or does not draw a dashboard, as in its JSON model. */
const source = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('${datasource}') });
const panel = z.looseObject({
  id: z.int().min(1),
  title: z.string().min(1),
  description: z.string().min(1).optional(),
  type: z.enum(['stat', 'timeseries', 'table']),
  datasource: source,
  gridPos: z.strictObject({ x: z.int().min(0), y: z.int().min(0), w: z.int().min(1).max(24), h: z.int().min(1) }),
  targets: z.array(z.looseObject({ expr: z.string().min(1), refId: z.string().regex(/^[A-Z]$/) })).min(1),
  fieldConfig: z.looseObject({ defaults: z.looseObject({ unit: z.string().optional() }), overrides: z.array(z.unknown()) }),
  options: z.looseObject({}),
});
const dashboard = z.looseObject({
  title: z.literal('Rollcall'),
  uid: z.string().regex(/^[\w-]{1,40}$/),
  schemaVersion: z.int().min(36),
  version: z.int().min(1),
  tags: z.array(z.string()),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  refresh: z.string(),
  templating: z.strictObject({
    list: z.array(z.looseObject({ name: z.literal('datasource'), type: z.literal('datasource'), query: z.literal('prometheus') })).min(1),
  }),
  annotations: z.looseObject({ list: z.array(z.unknown()) }),
  panels: z.array(panel).min(1),
});

const read = () => dashboard.parse(JSON.parse(readFileSync(join(packageRoot, 'deploy/grafana-dashboard.json'), 'utf8')));

it('the dashboard has the fields that Grafana requires', () => {
  const { panels } = read();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, targets } of panels)
    expect([title, new Set(targets.map(({ refId }) => refId)).size]).toEqual([title, targets.length]);
});

it('panels of the dashboard fit into its 24 columns and do not overlap', () => {
  const taken = new Map<string, string>();
  for (const { title, gridPos } of read().panels) {
    expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true]);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([title, taken.get(`${x} ${y}`)]).toEqual([title, undefined]);
        taken.set(`${x} ${y}`, title);
      }
  }
});
