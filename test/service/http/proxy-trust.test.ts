import { expect, test } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { describeProxySettings, isNetwork } from '../../../src/service/http/proxy-trust.ts'

test.each(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1', 'loopback'])('%s is a network', (value) => {
  expect(isNetwork(value)).toBe(true)
})

test.each([
  '',
  'yes',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0',
  'loopback/8',
  '::/129',
  '10.0.0.0/-1',
  '0.0.0.0/0',
  '::/0',
])('"%s" is no network', (value) => {
  expect(isNetwork(value)).toBe(false)
})

test('tells the operator what a short setting means, and which one is missing', () => {
  const publicUrl = 'https://a.example'
  expect(describeProxySettings(withDefaults())).toEqual([])
  expect(describeProxySettings(withDefaults({ trustProxy: ['10.0.0.0/8'], publicUrl }))).toEqual([])
  expect(describeProxySettings(withDefaults({ trustProxy: true, publicUrl }))).toEqual([
    expect.stringContaining('means one proxy'),
  ])
  expect(describeProxySettings(withDefaults({ trustProxy: 2 }))).toEqual([expect.stringContaining('--public-url')])
})
