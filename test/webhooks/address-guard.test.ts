import { describe, expect, it } from '@jest/globals';
import { isAllowedAddress, parseNetworks, findUrlProblem } from '../../src/webhooks/address-guard.ts';

const rejected: [range: string, first: string, last: string][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255'],
  ['the metadata of a cloud', '169.254.169.254', '169.254.170.2'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255'],
  ['AS112', '192.31.196.0', '192.31.196.255'],
  ['AMT', '192.52.193.0', '192.52.193.255'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255'],
  ['AS112', '192.175.48.0', '192.175.48.255'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255'],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255'],
  ['the host agent of a cloud', '168.63.129.16', '168.63.129.16'],
  [':: and ::1', '::', '::1'],
  ['::/96', '::2', '::ffff:ffff'],
  ['::127.0.0.1', '::127.0.0.1', '::169.254.169.254'],
  ['mapped', '::ffff:127.0.0.1', '::ffff:10.0.0.1'],
  ['mapped, in hexadecimal', '::ffff:a9fe:a9fe', '::ffff:a83f:8110'],
  ['translated', '::ffff:0:7f00:1', '::ffff:0:a00:1'],
  ['64:ff9b::/96', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b::/96, to a public address', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['AMT', '2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['AS112', '2001:4:112::', '2620:4f:8000::1'],
  ['ORCHID', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ORCHIDv2', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['the rest of 2001::/23', '2001:30::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4 of 127.0.0.1', '2002:7f00:1::', '2002:7f00:1::1'],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['outside 2000::/3', '200::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['outside 2000::/3', '4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['the metadata of a cloud', 'fd00:ec2::254', 'fd20:ce::254'],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['no address', 'nonsense', ''],
];
const allowed: [first: string, last: string][] = [
  ['1.0.0.0', '9.255.255.255'],
  ['11.0.0.0', '100.63.255.255'],
  ['100.128.0.0', '126.255.255.255'],
  ['128.0.0.0', '168.63.129.15'],
  ['168.63.129.17', '169.253.255.255'],
  ['169.255.0.0', '172.15.255.255'],
  ['172.32.0.0', '191.255.255.255'],
  ['192.0.1.0', '192.0.1.255'],
  ['192.0.3.0', '192.88.98.255'],
  ['192.88.100.0', '192.167.255.255'],
  ['192.169.0.0', '198.17.255.255'],
  ['198.20.0.0', '198.51.99.255'],
  ['198.51.101.0', '203.0.112.255'],
  ['203.0.114.0', '223.255.255.255'],
  ['2001:200::', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db9::', '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2003::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['3fff:1000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2606:4700::1111', '::ffff:8.8.8.8'],
];

it.each(rejected)('rejects %s, from %s to %s', (_, first, last) => {
  expect([first, last].filter((address) => isAllowedAddress(address, []))).toEqual([]);
});
it.each(allowed)('allows %s to %s', (first, last) => {
  expect([first, last].filter((address) => !isAllowedAddress(address, []))).toEqual([]);
});

it('allows the configured networks, and no others', () => {
  const networks = parseNetworks(['127.0.0.0/8', 'fd00::/8']);
  expect(['127.0.0.1', '::ffff:127.0.0.1', 'fd12::1', '10.0.0.1', '::1'].map((address) => isAllowedAddress(address, networks))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

describe('checks an address before it is stored', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://017700000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[0:0:0:0:0:0:0:0]/',
    'http://2852039166/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::ffff:127.0.0.1]:8080/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fd00:ec2::254]/latest/meta-data/',
  ])('decodes %s', (url) => {
    expect(findUrlProblem(new URL(url), [])).toMatch(/is not a public address; set WEBHOOK_ALLOWED_NETWORKS/);
  });

  it.each([
    ['ftp://example.com/', /http or https/],
    ['file:///etc/passwd', /http or https/],
    ['https://user@example.com/', /user name/],
    ['https://:pass@example.com/', /password/],
    ['https://example.com/#hook', /fragment/],
  ])('rejects %s', (url, reason) => {
    expect(findUrlProblem(new URL(url), parseNetworks(['0.0.0.0/0', '::/0']))).toMatch(reason);
  });

  it.each(['https://example.com/hook', 'https://example.com:8443/', 'http://localhost:5226/hook', 'http://receiver/', 'https://8.8.8.8/'])(
    'leaves %s to the moment of connecting',
    (url) => expect(findUrlProblem(new URL(url), [])).toBeUndefined(),
  );

  it('accepts allowed networks', () => {
    const networks = parseNetworks(['127.0.0.0/8', '::1/128']);
    for (const url of ['http://127.0.0.1:5226/', 'http://2130706433/', 'http://[::1]/', 'http://[::ffff:7f00:1]/'])
      expect(findUrlProblem(new URL(url), networks)).toBeUndefined();
  });
});
