import type { Knex } from 'knex';
import { publicDirectoryId } from '../../directory/directories/former-ids.ts';
import type { HealthStatus } from '../../directory/health/health-status.ts';
import type { HealthSource, MeasuredDirectory } from '../../directory/health/health-source.ts';
import { backlogColumn } from './overview.ts';
import { type StaleAfterMs, healthSources, healthStatusOf } from './health-status.ts';

const from = `from directories d join webhook_endpoints e on e.directory_id = d.id ${healthSources}`;
/** More would make each scrape too large. */
const maxMeasured = 20_000;

export const createHealthSource = (
  db: Knex,
  { staleAfterMs, metricsByDirectory }: { staleAfterMs: StaleAfterMs; metricsByDirectory: boolean },
): HealthSource => ({
  async countByHealth() {
    const { rows } = await db.raw<{ rows: { status: HealthStatus; directories: number }[] }>(
      `select ${healthStatusOf(staleAfterMs)} as status, cast(count(*) as float8) as directories ${from} group by 1`,
    );
    return Object.fromEntries(rows.map(({ status, directories }) => [status, directories]));
  },
  ...(metricsByDirectory && {
    async listDirectories() {
      const { rows } = await db.raw<{ rows: MeasuredDirectory[] }>(
        `select d.id, d.tenant, d.product, ${healthStatusOf(staleAfterMs)} as status, ${backlogColumn} as backlog ${from}
         order by d.id desc limit ${maxMeasured}`,
      );
      return rows.map((row) => ({ ...row, id: publicDirectoryId(row) }));
    },
  }),
});
