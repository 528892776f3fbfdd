import { expect, it } from '@jest/globals';
import { variables } from '../src/config.ts';
import { findMisspeltSettings } from '../src/misspelt-settings.ts';

it.each([
  ['WEBHOOK_ALOWED_NETWORKS', 'WEBHOOK_ALLOWED_NETWORKS'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
  ['XLOG_LEVEL', 'LOG_LEVEL'],
  ['database_url', 'DATABASE_URL'],
  ['ROLLCALL_API_KEYS', 'ROLLCALL_API_KEY'],
  ['METRICS_PROT', 'METRICS_PORT'],
])('%s is told to be no setting, and that %s is one', (name, meant) => {
  expect(findMisspeltSettings([name])).toEqual([`Unknown setting ${name}. Did you mean ${meant}?`]);
});

it('says nothing of settings, of short names, of single words and of what is another word', () => {
  const others = ['ROLLCALL_URL', 'ROLLCALL_API_KEY', 'API_KEY', 'HOSTNAME', 'INTERNAL_URL', 'TEMPORAL_TLS_CA', 'PATH', 'npm_config_cache'];
  expect(findMisspeltSettings([...Object.keys(variables.shape), ...others])).toEqual([]);
});
