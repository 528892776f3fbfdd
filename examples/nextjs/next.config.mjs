export default {
  // Database drivers and native modules are loaded by Node, not bundled.
  serverExternalPackages: ['rollcall'],
};
