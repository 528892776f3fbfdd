import { StartupError } from '../errors.ts';

/** Says what to do if something needs Temporal's packages, which `npm install --omit=optional` leaves out. */
export async function withTemporalPackages<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(code ?? '') || !message.includes("'@temporalio/")) throw error;
    throw new StartupError('The packages of Temporal are not installed. Install Rollcall again without `--omit=optional`.', {
      cause: error,
    });
  }
}
