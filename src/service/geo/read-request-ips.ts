import type { FastifyRequest } from 'fastify'
import { parseClientIp } from './parse-client-ip.ts'

/** The IP addresses in a request. */
export interface RequestIps {
  /** Of the sender; undefined when a trusted proxy sent the request. */
  readonly connection: string | undefined
  /** Of the client for whom it was sent, when a header names one. */
  readonly forwarded: string | undefined
}

/**
 * Reads the IP addresses of a request. A server names its client's address in the protocol's own header
 * (`http_x_forwarded_for`); `X-Forwarded-For` is used only from a trusted proxy.
 */
export const readRequestIps = ({ headers, ip }: FastifyRequest, trustProxy: boolean): RequestIps => {
  const clientIp = parseClientIp(headers['http_x_forwarded_for'])
  const isProxied = trustProxy && headers['x-forwarded-for'] !== undefined
  const senderIp = parseClientIp(ip)
  return isProxied
    ? { connection: undefined, forwarded: clientIp ?? senderIp }
    : { connection: senderIp, forwarded: clientIp }
}
