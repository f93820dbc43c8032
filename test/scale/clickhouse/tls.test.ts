import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { checkServer } from '../../../src/service/store/events/clickhouse/check-server.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { createCertificate } from '../support/create-certificate.ts'
import { HAS_FAULTS, startClickHouse } from './start-clickhouse.ts'

test.skipIf(!HAS_FAULTS)('connects by TLS that is verified', async () => {
  const clickHouse = await startClickHouse()
  onTestFinished(() => clickHouse.cleanUp())
  const folder = createTempFolder()
  const { key, certificate } = createCertificate(folder, 'server')
  const other = createCertificate(folder, 'other')
  // The test server itself has no TLS.
  const { port: target } = new URL(clickHouse.options.url)
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
    const plain = connect(Number(target), '127.0.0.1')
    socket.on('error', () => plain.destroy()).pipe(plain)
    plain.on('error', () => socket.destroy()).pipe(socket)
  })
  server.on('tlsClientError', () => undefined)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { password } = clickHouse.options
  const check = (authority: string) =>
    checkServer({
      url: `clickhouse://default:${encodeURIComponent(password)}@127.0.0.1:${port}/tls?secure=true${authority}`,
      passwordFile: null,
    })
  expect(await check(`&ca_cert=${certificate}`)).toBeNull()
  expect(await check(`&ca_cert=${other.certificate}`)).toMatch(/does not answer: .*certificate/)
  expect(await check('')).toMatch(/does not answer: .*certificate/)
})
