import { isIPv6 } from 'node:net'

/** Groups of 16 bits of an IPv6 address, and those of its network, which one customer of a provider has as a whole. */
const GROUPS = 8
const NETWORK_GROUPS = 4

const splitGroups = (part: string): string[] => (part === '' ? [] : part.split(':'))

/**
 * The network of an IP address, for limits: an IPv4 address itself, and the first 64 bits of an IPv6 address, whose owner can use any
 * address that begins with them.
 */
export const toNetwork = (ip: string): string => {
  if (!isIPv6(ip)) return ip
  const address = ip.replace(/%.*$/, '')
  const ipv4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (ipv4 !== undefined) return ipv4
  // An IPv4 address at the end stands for two groups, which are not in the network.
  const [start = '', end = ''] = address.replace(/[\d.]+\.\d+$/, '0:0').split('::')
  const first = splitGroups(start)
  const last = splitGroups(end)
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => '0')
  const groups = [...first, ...zeros, ...last].slice(0, NETWORK_GROUPS)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
