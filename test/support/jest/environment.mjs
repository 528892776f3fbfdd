const { console: plainConsole } = globalThis;
const { exit: plainExit } = process;

/** Tests run in Node itself, not in a sandbox. What a file often changes for all files of its worker is restored after it. */
export default class NodeEnvironment {
  global = globalThis;

  constructor({ projectConfig }) {
    this.options = projectConfig.testEnvironmentOptions;
  }

  async setup() {
    this.before = { env: { ...process.env }, folder: process.cwd() };
  }

  async teardown() {
    const { env, folder } = this.before;
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
    Object.assign(process.env, env);
    process.chdir(folder);
    // Jest replaces both for each file.
    globalThis.console = plainConsole;
    process.exit = plainExit;
  }

  /** Jest requires it. It is for the coverage of a sandbox. */
  getVmContext() {
    return null;
  }
}
