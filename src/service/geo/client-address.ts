import { isIP } from 'node:net'

/**
 * The client's address in a forwarding header: the first of its list, without port and brackets, an IPv4 address out of its
 * IPv6 form. Undefined for anything that is no address.
 */
export const clientAddress = (header: string | readonly string[] | undefined): string | undefined => {
  if (header === undefined) return undefined
  const [first = ''] = (typeof header === 'string' ? header : (header[0] ?? '')).split(',')
  const text = first.trim()
  if (isIP(text) === 4) return text
  // [2001:db8::1]:443, [2001:db8::1], 192.0.2.1:443
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) === 0 ? undefined : address
}
