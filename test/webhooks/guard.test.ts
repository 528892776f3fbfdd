import { expect, it } from '@jest/globals';
import { isAllowedAddress, isBlockedUrl, parseNetworks } from '../../src/webhooks/guard.ts';

const refused = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001:db8::1',
  '2001::1',
  '2001:10::1',
  '2002::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'nonsense',
  '',
];
const allowed = ['8.8.8.8', '93.184.216.34', '172.32.0.1', '100.63.255.255', '2606:4700::1111', '::ffff:8.8.8.8'];

it.each(refused)('refuses %s', (address) => expect(isAllowedAddress(address, [])).toBe(false));
it.each(allowed)('allows %s', (address) => expect(isAllowedAddress(address, [])).toBe(true));

it('opens the networks that it is given, and no more', () => {
  const networks = parseNetworks(['127.0.0.0/8', 'fd00::/8']);
  expect(['127.0.0.1', '::ffff:127.0.0.1', 'fd12::1', '10.0.0.1', '::1'].map((address) => isAllowedAddress(address, networks))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

it.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://127.1/',
  'http://[::1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://①②⑦.⓪.⓪.①/',
])('sees through %s', (url) => expect(isBlockedUrl(new URL(url), [])).toBe(true));
