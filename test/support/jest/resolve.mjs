const globals = new URL('globals.mjs', import.meta.url).href;
const build = new URL('../../../dist/', import.meta.url).href;

/** A hook of Node's `import`. */
export function resolve(name, context, next) {
  // Jest itself provides it only in its own registry of modules.
  if (name === '@jest/globals') return { url: globals, shortCircuit: true };
  const parent = context.parentURL ?? '';
  // Node loads a module again for another query.
  return parent.startsWith(build) && parent.includes('?') && /^\.\.?\//.test(name)
    ? next(`${name}${new URL(parent).search}`, context)
    : next(name, context);
}
