import { expect, test } from 'vitest'
import { createAuthenticate } from '../../../src/service/auth/authenticate.ts'
import { toNetwork } from '../../../src/service/auth/ip-network.ts'
import { createWrongKeyCounter } from '../../../src/service/auth/wrong-keys.ts'
import { openApp } from '../support/app.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:db8::3:4:5:6:7', '2001:db8:0:3::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
  ['unknown', 'unknown'],
])('the network of %s is %s', (ip, network) => {
  expect(toNetwork(ip)).toBe(network)
})

test('counts the wrong keys of an IPv6 network together', async () => {
  const { metadata } = await openApp()
  const authenticate = createAuthenticate({
    metadata,
    countWrongKey: createWrongKeyCounter(2),
    now: () => 0,
    onError: () => undefined,
  })
  const statusFrom = (ip: string) =>
    authenticate({ authorization: 'Bearer wmx_wrong', ip }).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  expect(await statusFrom('2001:db8:1:2::1')).toBe(401)
  expect(await statusFrom('2001:db8:1:2:ffff::2')).toBe(401)
  expect(await statusFrom('2001:db8:1:2::3')).toBe(429)
  expect(await statusFrom('2001:db8:1:3::3')).toBe(401)
})
