const asyncHooks = require('node:async_hooks');
const { register, registerHooks } = require('node:module');
const { join, relative } = require('node:path');
const { pathToFileURL } = require('node:url');
const { setGlobals } = require('./globals.mjs');
const { resolve } = require('./resolve.mjs');

const root = join(__dirname, '../../..');
let files = 0;

/**
 * How jest loads modules. Node itself loads the built tests, the service and its packages, once per worker: in jest's own registry every test
 * file would load all of them again. A file that needs modules of its own, because it tests what they keep in memory, begins with
 * `@jest-environment-options {"ownModules": true}`.
 */
module.exports = class NodeRuntime {
  constructor(_config, { options }) {
    this.query = options.ownModules ? `?file=${++files}` : '';
    this.storages = [];
  }

  unstable_shouldLoadAsEsm = () => true;

  /** Test files and set-up files. A set-up file is loaded once, so what it does for each test file is the function that it exports. */
  async unstable_importModule(file) {
    const { default: setUp } = await import(pathToFileURL(findBuilt(file)).href + this.query);
    await setUp?.();
  }

  requireModule = require;

  /** The test framework. Its state, such as the tests found so far, lasts for one file. */
  requireInternalModule(file) {
    delete require.cache[require.resolve(file)];
    // Newer versions of Node need no hooks for storages, and do not let it be replaced.
    if (!Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage').writable) return require(file);
    const { storages } = this;
    const { AsyncLocalStorage } = asyncHooks;
    asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
      constructor(...args) {
        super(...args);
        storages.push(this);
      }
    };
    try {
      return require(file);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  setGlobalsForRuntime = setGlobals;

  /** From the comment at the end of each built file. */
  getSourceMaps = () => new Map();
  getAllCoverageInfoCopy = () => undefined;
  enterTestCode() {}
  leaveTestCode() {}
  /** A storage that stays enabled slows down every promise of the later files. */
  teardown() {
    for (const storage of this.storages) storage.disable();
  }
};

function findBuilt(file) {
  const path = relative(root, file);
  return path.endsWith('.ts') ? join(root, 'dist', path.replace(/\.ts$/, '.js')) : file;
}

// Jest removes its listener when it has no more files for this process, and kills it if it does not end in half a second. The shared service
// and timeouts of the last files would keep it running.
if (process.send) process.on('removeListener', (event) => event === 'message' && process.exit());

// In Node 20, hooks of `import` run in a thread of their own.
if (registerHooks) registerHooks({ resolve });
else register('./resolve.mjs', pathToFileURL(__filename));
