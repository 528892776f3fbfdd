/** esbuild bundles them into one file. */
declare module '*.css';
