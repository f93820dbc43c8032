import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import type { TestClickHouse } from './start-clickhouse.ts'

/** The arguments of a service for databases on a test server, by default its own, with the password in a file. */
export const createArgs = (
  server: TestClickHouse,
  prefix = server.createPrefix(),
  password = server.options.password,
): readonly string[] => {
  const passwordFile = join(createTempFolder(), 'password')
  writeFileSync(passwordFile, `${password}\n`)
  const { host, protocol } = new URL(server.options.url)
  const { username } = server.options
  const secure = protocol === 'https:' ? '?secure=true' : ''
  return ['--events', `clickhouse://${username}@${host}/${prefix}${secure}`, '--events-password-file', passwordFile]
}

/** Sends a request with JSON. */
export const send = async (url: string, key: string | null, method = 'GET', body?: object): Promise<Response> =>
  fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

/** A uuid of version 4 for a name. */
export const uuidOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
