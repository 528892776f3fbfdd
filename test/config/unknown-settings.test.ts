import { expect, it } from '@jest/globals';
import { findUnknownSettings, variables } from '../../src/config.ts';
import { findOperatorSecretWarnings } from '../../src/directory/delivery/webhook-settings.ts';

it.each([
  ['WEBHOOK_ALOWED_NETWORKS', 'WEBHOOK_ALLOWED_NETWORKS'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
  ['XLOG_LEVEL', 'LOG_LEVEL'],
  ['database_url', 'DATABASE_URL'],
  ['ROLLCALL_API_KEYS', 'ROLLCALL_API_KEY'],
  ['METRICS_PROT', 'METRICS_PORT'],
  ['MAX_UNDELIVERED_BYTES', 'MAX_UNDELIVERED_BYTES_PER_DIRECTORY'],
  ['WEBHOOK_TIMEOUT', 'WEBHOOK_TIMEOUT_MS'],
  ['MAX_BODY', 'MAX_BODY_BYTES'],
  ['AUTH_FAILURES', 'AUTH_FAILURES_PER_SOURCE'],
  ['API_KEY', 'API_KEYS'],
  ['PROT', 'PORT'],
  ['port', 'PORT'],
  ['PRT', 'PORT'],
  ['HSOT', 'HOST'],
])('reports %s as unknown and suggests %s', (name, suggestion) => {
  expect(findUnknownSettings([name])).toEqual([expect.stringMatching(new RegExp(` ${name}\\W.* ${suggestion}\\?$`))]);
});

it('ignores settings, short names, single words and other words', () => {
  const others = ['ROLLCALL_URL', 'ROLLCALL_API_KEY', 'API_KEY', 'HOSTNAME', 'INTERNAL_URL', 'TEMPORAL_TLS_CA', 'PATH', 'npm_config_cache'];
  expect(findUnknownSettings([...Object.keys(variables.shape), ...others])).toEqual([]);
});

it('ignores common variables, and a word that resembles a setting that is set', () => {
  const common =
    'PATH PWD OLDPWD HOME HOSTNAME HOSTTYPE SHELL SHLVL USER LOGNAME LANG LANGUAGE TERM TZ PS1 PAGER EDITOR MAIL TMPDIR DISPLAY';
  const others = 'PGPORT PGHOST DBPORT DBHOST VHOST XPORT REPORT EXPORT POSTS PYTHONPATH NODE CI INIT_CWD npm_config_port';
  expect(findUnknownSettings([...common.split(' '), ...others.split(' ')])).toEqual([]);
  expect(findUnknownSettings(['PORT', 'PROT'])).toEqual([]);
});

it('warns when the secret that signs operator webhooks is short, without showing it', () => {
  expect(findOperatorSecretWarnings('short')).toEqual([expect.stringContaining('WEBHOOK_SECRET')]);
  expect(findOperatorSecretWarnings('whsec_short')).toHaveLength(1);
  for (const secret of [undefined, 'a'.repeat(16)]) expect(findOperatorSecretWarnings(secret)).toEqual([]);
});
