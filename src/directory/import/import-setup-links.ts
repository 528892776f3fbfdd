import { isSelected, type ImportDeps, type ImportOptions } from './import-options.ts';
import { readSetupLink, type PolisSetupLink } from './polis-records.ts';
import type { SetupLinkReport } from './report.ts';
import { noteUnreadable } from './unreadable-rows.ts';

/** Imports the setup links that are still valid, in one transaction. */
export async function importSetupLinks(
  { source, target }: Pick<ImportDeps, 'source' | 'target'>,
  options: ImportOptions,
): Promise<SetupLinkReport> {
  const links: PolisSetupLink[] = [];
  const report = { unreadable: [] as SetupLinkReport['unreadable'] };
  for await (const rows of source.listSetupLinks())
    for (const row of rows)
      try {
        const link = readSetupLink(row);
        if (link && isSelected(link, options)) links.push(link);
      } catch (error) {
        noteUnreadable(report, error, row.key);
      }
  const valid = links.filter(({ expiresAt }) => expiresAt.getTime() > Date.now());
  const { tenant, product, isDryRun } = options;
  const within = { ...(tenant !== undefined && { tenant }), ...(product !== undefined && { product }) };
  const tally = await target.writeSetupLinks({
    source: source.name,
    links: valid,
    // A row that cannot be read may be any of them.
    missing: report.unreadable.length === 0 ? { present: links, within } : undefined,
    isDryRun,
  });
  return { read: links.length, expired: links.length - valid.length, ...tally, ...report };
}
