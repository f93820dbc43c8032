import type { FastifyRequest } from 'fastify'
import { parseClientIp } from './parse-client-ip.ts'

/** The IP addresses in a request. */
export interface RequestIps {
  /** IP address of the sender; undefined when a trusted proxy sent the request. */
  readonly connectionIp: string | undefined
  /** IP address of the client for whom the sender makes the request; undefined when no header contains one. */
  readonly forwardedIp: string | undefined
}

/**
 * Reads the IP addresses of a request. A server sends the address of its client in the header
 * `http_x_forwarded_for`, which the protocol defines. `X-Forwarded-For` is used only from a trusted proxy: then
 * the framework has another IP address for the client than the connection has.
 */
export const readRequestIps = ({ headers, ip, socket }: FastifyRequest): RequestIps => {
  const clientIp = parseClientIp(headers['http_x_forwarded_for'])
  const isProxied = ip !== socket.remoteAddress
  const senderIp = parseClientIp(ip)
  return isProxied
    ? { connectionIp: undefined, forwardedIp: clientIp ?? senderIp }
    : { connectionIp: senderIp, forwardedIp: clientIp }
}
