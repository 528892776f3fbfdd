/** What a program needs to be found and run, and nothing that configures Rollcall: its variables hold keys. */
const kept = ['PATH', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

/** The environment of an embedded server. */
export const serverEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
