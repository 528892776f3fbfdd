import { createFindings, type Finding } from './finding.ts';

const { ok, problem } = createFindings('Node');
const [neededMajor, neededMinor] = [20, 19];

export function checkNode(version: string = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return [ok(`Node ${version}.`)];
  return [problem(`Node ${version} is too old.`, `Install Node ${neededMajor}.${neededMinor} or newer.`)];
}
