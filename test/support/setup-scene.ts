import { writeFile } from 'node:fs/promises';
import { startChromium, type ChromiumPage } from './chromium.ts';
import { startTestService, type TestService } from './service.ts';
import { temporaryFolder } from './temporary-folder.ts';

type OpenPage = Awaited<ReturnType<typeof startChromium>>['openPage'];

export interface SetupScene {
  service: TestService;
  openPage: OpenPage;
  /** Throws if a page broke its policy, loaded from elsewhere, threw, or opened a dialog. */
  checkPages(): void;
  stop(): Promise<void>;
}

/** A service with the branding of two products, and a Google client, whose setup pages a browser opens. */
export async function startSetupScene(hostile: string, env: NodeJS.ProcessEnv = {}): Promise<SetupScene> {
  const folder = await temporaryFolder();
  await writeFile(
    folder.at('logo.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><rect width="32" height="32" rx="8" fill="#0b7a5b"/></svg>',
  );
  await writeFile(
    folder.at('branding.json'),
    JSON.stringify({ name: 'Example', color: '#0b7a5b', products: { hostile: { name: hostile, logo: 'logo.svg' } } }),
  );
  const google = { DSYNC_GOOGLE_CLIENT_ID: 'client', DSYNC_GOOGLE_CLIENT_SECRET: 'secret' };
  const service = await startTestService({ BRANDING_FILE: folder.at('branding.json'), ...google, ...env }, { recordEveryMs: 20 });
  const chromium = await startChromium(() => new URL(service.baseUrl).origin);
  const pages: ChromiumPage[] = [];
  return {
    service,
    async openPage(options) {
      const page = await chromium.openPage(options);
      pages.push(page);
      return page;
    },
    checkPages() {
      const problems = pages.splice(0).flatMap((page) => page.problems);
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
    async stop() {
      await chromium.stop();
      await service.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
