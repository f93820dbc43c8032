import { isIP } from 'node:net'

/**
 * Parses the client's IP address in a forwarding header: the first of the list, without port and brackets. An IPv4 address
 * in IPv6 form becomes plain IPv4. Returns undefined for anything else.
 */
export const parseClientIp = (header: string | readonly string[] | undefined): string | undefined => {
  if (header === undefined) return undefined
  const [first = ''] = (typeof header === 'string' ? header : (header[0] ?? '')).split(',')
  const trimmed = first.trim()
  if (isIP(trimmed) === 4) return trimmed
  // [2001:db8::1]:443, [2001:db8::1], 192.0.2.1:443
  const host = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const ip = host.replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(ip) === 0 ? undefined : ip
}
