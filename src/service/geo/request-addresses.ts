import type { FastifyRequest } from 'fastify'
import { clientAddress } from './client-address.ts'

/** The addresses that a request tells. */
export interface RequestAddresses {
  /** Of whoever sent it; undefined when a proxy did. */
  readonly connection: string | undefined
  /** Of the client that it is for, where one is named. */
  readonly forwarded: string | undefined
}

/** Reads the addresses of a request. Only the header of the protocol names another client's; a trusted proxy's names its own. */
export const requestAddresses = ({ headers, ip }: FastifyRequest, trustProxy: boolean): RequestAddresses => {
  const named = clientAddress(headers['http_x_forwarded_for'])
  const isProxied = trustProxy && headers['x-forwarded-for'] !== undefined
  const sender = clientAddress(ip)
  return isProxied ? { connection: undefined, forwarded: named ?? sender } : { connection: sender, forwarded: named }
}
