import { isIP } from 'node:net'
import type { Config } from '../config.ts'

/** Names of networks that the framework knows. */
const NETWORK_NAMES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** More proxies than any request passes. */
export const MAX_PROXY_HOPS = 32

/** Whether a string is an IP address, a network such as `10.0.0.0/8`, or the name of one. */
export const isNetwork = (value: string): boolean => {
  const [ip = '', bits, ...rest] = value.split('/')
  const version = isIP(ip)
  if (version === 0 || rest.length > 0) return NETWORK_NAMES.has(value)
  // A network of all addresses would trust every client.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** Which proxies the framework trusts. `true` would trust them all, and then a client could write its own IP address. */
export const toProxyTrust = (
  trustProxy: Config['trustProxy'],
): false | string[] | ((address: string, hop: number) => boolean) => {
  if (typeof trustProxy === 'object') return [...trustProxy]
  const hops = Number(trustProxy)
  return hops > 0 && ((_address, hop) => hop < hops)
}

/** What an operator should know about the settings of a proxy. */
export const describeProxySettings = ({
  trustProxy,
  publicUrl,
}: Pick<Config, 'trustProxy' | 'publicUrl'>): string[] => {
  const lines: string[] = []
  if (trustProxy === true)
    lines.push('"--trust-proxy true" means one proxy. Set the number of proxies, or their networks, to say it exactly.')
  if (toProxyTrust(trustProxy) !== false && publicUrl === null)
    lines.push('A proxy is trusted, but "--public-url" is not set: URLs in answers are those of this machine.')
  return lines
}
